#include "tests/forms/form_runner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <backends/vulkan/vulkan_backend.hpp>
#include <vyre/backend/decorators.hpp>
#include "tests/support/drivers.hpp"

namespace vyre::tests {
namespace {

constexpr std::uint64_t kGuardBytes = 4096;
constexpr std::byte kGuard{0xa5};

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

Result<std::unique_ptr<backend::Device>> open_form_device(const backend::DeviceOptions& options) {
  keep_drivers_loaded();
  const auto backend = backends::vulkan::make_vulkan_backend();
  VYRE_ASSIGN(const std::vector<backend::DeviceInfo> infos, backend->devices());
  if (infos.empty()) return fail(ErrorCode::Unavailable, "there is no device");
  VYRE_ASSIGN(std::unique_ptr<backend::DeviceDriver> driver, backend->open(infos.front(), options));
  return std::make_unique<backend::Device>(backend::make_checking_driver(std::move(driver)), options);
}

Result<FormOutcome> run_items(backend::Device& device, backend::PipelineHandle pipeline,
                              const std::vector<FormItem>& items) {
  // All in one buffer: whoever leaves a view lands beside it.
  std::uint64_t size = kGuardBytes;
  std::vector<std::vector<backend::BufferRange>> ranges;
  for (const FormItem& item : items) {
    auto& own = ranges.emplace_back();
    for (const std::vector<std::byte>& bytes : item.buffers) {
      own.push_back({.offset = size, .size = bytes.size()});
      size += round_up(bytes.size()) + kGuardBytes;
    }
  }
  std::vector<std::byte> memory(size, kGuard);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t k = 0; k < ranges[i].size(); ++k) {
      std::ranges::copy(items[i].buffers[k], memory.begin() + static_cast<std::ptrdiff_t>(ranges[i][k].offset));
    }
  }
  VYRE_ASSIGN(const backend::BufferHandle buffer, device.allocate({.size = size}));
  VYRE_TRY(device.write(buffer, 0, memory));
  backend::CommandList list;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (backend::BufferRange& range : ranges[i]) range.buffer = buffer;
    list.dispatch(pipeline, ranges[i], items[i].groups, items[i].params);
  }
  VYRE_ASSIGN(const backend::Ticket ticket, device.submit(list));
  VYRE_TRY(device.wait(ticket));
  VYRE_TRY(device.read(buffer, 0, memory));
  VYRE_TRY(device.free(buffer));
  FormOutcome outcome;
  for (const auto& own : ranges) {
    Contents& contents = outcome.contents.emplace_back();
    for (const backend::BufferRange& range : own) {
      const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(range.offset);
      const auto end = begin + static_cast<std::ptrdiff_t>(range.size);
      contents.emplace_back(begin, end);
      std::fill(begin, end, kGuard);
    }
  }
  const auto touched = std::ranges::find_if(memory, [](std::byte byte) { return byte != kGuard; });
  if (touched != memory.end()) {
    outcome.touched = fmt::format("byte {} of {} lies in no view and was changed", touched - memory.begin(), size);
  }
  return outcome;
}

bool do_fit(const backend::Device& device, backend::PipelineHandle pipeline, const std::vector<FormItem>& items) {
  return std::ranges::all_of(items, [&](const FormItem& each) {
    return device.fits_form(pipeline, {.params = each.params, .groups = each.groups});
  });
}

std::string difference(const std::vector<Contents>& actual, const std::vector<Contents>& expected) {
  std::string text;
  for (std::size_t item = 0; item < expected.size(); ++item) {
    for (std::size_t i = 0; i < expected[item].size(); ++i) {
      const auto [at, other] = std::ranges::mismatch(actual[item][i], expected[item][i]);
      if (other == expected[item][i].end()) continue;
      text +=
          fmt::format("buffer {} of item {} differs from byte {} on: {:#04x}, it should be {:#04x}\n", i, item,
                      at - actual[item][i].begin(), std::to_integer<unsigned>(*at), std::to_integer<unsigned>(*other));
    }
  }
  return text;
}

}  // namespace vyre::tests
