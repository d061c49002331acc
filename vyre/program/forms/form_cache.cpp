#include <vyre/program/forms/form_cache.hpp>

#include <algorithm>

namespace vyre::program {

bool FormCache::Entry::is(FormKind its_kind, const FormOptions& its_options,
                          std::span<const spirv::SpecOverride> its_values) const {
  return kind == its_kind && options == its_options && std::ranges::equal(values, its_values);
}

std::optional<Result<Form>> FormCache::find(FormKind kind, const FormOptions& options,
                                            std::span<const spirv::SpecOverride> values) const {
  const std::lock_guard lock{mutex_};
  const auto found = std::ranges::find_if(entries_, [&](const Entry& each) { return each.is(kind, options, values); });
  return found == entries_.end() ? std::nullopt : std::optional{found->form};
}

void FormCache::add(FormKind kind, const FormOptions& options, std::span<const spirv::SpecOverride> values,
                    const Result<Form>& form) {
  const std::lock_guard lock{mutex_};
  if (entries_.size() == kMostForms) entries_.erase(entries_.begin());
  entries_.push_back({.kind = kind, .options = options, .values = {values.begin(), values.end()}, .form = form});
}

std::shared_ptr<FormCache> make_form_cache() { return std::make_shared<FormCache>(); }

}  // namespace vyre::program
