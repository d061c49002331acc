#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <vyre/program/forms/form.hpp>

namespace vyre::program {

/// The last forms that were derived from a program, and refusals. Deriving and validating a form takes milliseconds.
///
/// Thread safety: all members may be called concurrently.
class FormCache {
 public:
  [[nodiscard]] std::optional<Result<Form>> find(FormKind kind, const FormOptions& options,
                                                 std::span<const spirv::SpecOverride> values) const;
  void add(FormKind kind, const FormOptions& options, std::span<const spirv::SpecOverride> values,
           const Result<Form>& form);

 private:
  static constexpr std::size_t kMostForms = 8;

  struct Entry {
    FormKind kind = FormKind::Pointer;
    FormOptions options = {};
    std::vector<spirv::SpecOverride> values = {};
    Result<Form> form;

    [[nodiscard]] bool is(FormKind its_kind, const FormOptions& its_options,
                          std::span<const spirv::SpecOverride> its_values) const;
  };

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // The oldest entry first.
};

[[nodiscard]] std::shared_ptr<FormCache> make_form_cache();

}  // namespace vyre::program
