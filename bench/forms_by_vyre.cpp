#include "bench/forms_by_vyre.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "bench/lavapipe.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {
namespace {

struct Params {
  float scale;
  std::uint32_t count;
};

Params params_of(std::uint32_t item, std::uint32_t width) {
  return {.scale = static_cast<float>(item % 5), .count = width};
}

std::string sum_source(std::uint32_t buffers) {
  std::string text = "#version 450\nlayout(local_size_x = 64) in;\n";
  std::string sum = "0.0";
  for (std::uint32_t i = 0; i + 1 < buffers; ++i) {
    text += fmt::format("layout(binding = {}) readonly buffer B{} {{ float b{}[]; }};\n", i, i, i);
    sum += fmt::format(" + b{}[i]", i);
  }
  return text + fmt::format(
                    "layout(binding = {}) writeonly buffer R {{ float r[]; }};\nvoid main() {{\n  uint i = "
                    "gl_GlobalInvocationID.x;\n  r[i] = {};\n}}\n",
                    buffers - 1, sum);
}

}  // namespace

VyreItems::VyreItems(backend::Device& device, const program::Program& program, program::FormKind form,
                     VyreLaunch launch, const std::vector<Item>& items)
    : device_{device}, launch_{launch} {
  const backend::PipelineHandle pipeline = must(device.compile(program, {.form = form}));
  for (const Item& item : items) list_.dispatch(pipeline, item.ranges, {1, 1, 1}, item.params);
  if (launch != VyreLaunch::Anew) {
    recording_ = must(device.record(list_, {.updatable = launch == VyreLaunch::Updated}));
  }
}

void VyreItems::run() {
  switch (launch_) {
    case VyreLaunch::Anew: must(device_.wait(must(device_.submit(list_)))); break;
    case VyreLaunch::Replay: must(device_.wait(must(device_.replay(recording_)))); break;
    case VyreLaunch::Updated: must(device_.wait(must(device_.replay(recording_, list_)))); break;
  }
}

VyreSaxpy::VyreSaxpy(backend::Device& on, std::uint32_t count, std::uint32_t width)
    : device{on},
      program{must(
          program::Program::from_glsl(kSaxpy, {.name = "saxpy", .defines = {{"LOCAL", fmt::format("{}", width)}}}))} {
  const std::uint64_t bytes = std::uint64_t{count} * width * sizeof(float);
  x = must(device.allocate({.size = bytes}));
  y = must(device.allocate({.size = bytes}));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t size = std::uint64_t{width} * sizeof(float);
    const Params params = params_of(i, width);
    std::vector<std::byte> given(sizeof(params));
    std::memcpy(given.data(), &params, sizeof(params));
    items.push_back(
        {.ranges = {{.buffer = x, .offset = i * size, .size = size}, {.buffer = y, .offset = i * size, .size = size}},
         .params = given});
  }
}

bool VyreSaxpy::is_right(VyreItems& made) {
  const std::uint32_t width = static_cast<std::uint32_t>(items[0].ranges[0].size / sizeof(float));
  std::vector<float> from(items.size() * width);
  std::vector<float> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<float>(i % 251 + 1);
    to[i] = static_cast<float>(i % 17 + 1);
  }
  must(device.write(x, 0, std::as_bytes(std::span{from})));
  must(device.write(y, 0, std::as_bytes(std::span{to})));
  made.run();
  std::vector<float> found(to.size());
  must(device.read(y, 0, std::as_writable_bytes(std::span{found})));
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += params_of(static_cast<std::uint32_t>(i / width), width).scale * from[i];
  }
  return std::ranges::equal(found, to);
}

VyreSums::VyreSums(backend::Device& device, std::uint32_t dispatches, std::uint32_t buffers)
    : program{must(program::Program::from_glsl(sum_source(buffers), {.name = "sum"}))} {
  constexpr std::uint64_t kBytes = 64 * sizeof(float);
  const backend::BufferHandle memory = must(device.allocate({.size = dispatches * buffers * kBytes}));
  for (std::uint32_t i = 0; i < dispatches; ++i) {
    VyreItems::Item& item = items.emplace_back();
    for (std::uint32_t k = 0; k < buffers; ++k) {
      item.ranges.push_back({.buffer = memory, .offset = (i * buffers + k) * kBytes, .size = kBytes});
    }
  }
}

}  // namespace vyre::bench
