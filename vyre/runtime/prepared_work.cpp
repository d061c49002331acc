#include <vyre/runtime/prepared_work.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

}  // namespace

CheckedDispatch PreparedDispatch::checked() const noexcept {
  return {.program = program,
          .ranges = ranges,
          .buffers = buffers,
          .groups = groups,
          .params = params,
          .hash = hash,
          .repeat = repeat,
          .label = label};
}

Prepared PreparedWork::add(const CheckedDispatch& dispatch) {
  prepared_.push_back({.is_alive = true,
                       .program = dispatch.program,
                       .ranges = {dispatch.ranges.begin(), dispatch.ranges.end()},
                       .buffers = {dispatch.buffers.begin(), dispatch.buffers.end()},
                       .groups = dispatch.groups,
                       .params = {dispatch.params.begin(), dispatch.params.end()},
                       .hash = dispatch.hash,
                       .repeat = dispatch.repeat,
                       .label = std::string{dispatch.label}});
  return {.session = session_, .index = static_cast<std::uint32_t>(prepared_.size() - 1)};
}

std::unexpected<Error> PreparedWork::refused(Prepared name) const {
  if (name.session != session_) return invalid("the prepared dispatch belongs to another session");
  if (name.index >= prepared_.size()) {
    return invalid(fmt::format("prepared dispatch {} is enqueued, the session made {}", name.index, prepared_.size()));
  }
  return invalid("the prepared dispatch names a buffer that was freed");
}

std::vector<std::uint32_t> PreparedWork::buffers_of(std::span<const std::uint32_t> prepared) const {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t each : prepared) {
    all.insert(all.end(), prepared_[each].buffers.begin(), prepared_[each].buffers.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

void PreparedWork::forget_buffer(std::uint32_t buffer) {
  for (PreparedDispatch& each : prepared_) {
    if (std::ranges::find(each.buffers, buffer) != each.buffers.end()) each.is_alive = false;
  }
  captures_.forget_buffer(buffer);
}

bool PreparedWork::needs_program(std::uint32_t program) const noexcept {
  return std::ranges::any_of(prepared_, [&](const auto& each) { return each.is_alive && each.program == program; }) ||
         captures_.needs_program(program);
}

}  // namespace vyre::runtime
