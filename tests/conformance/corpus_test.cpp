#include "tests/conformance/corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/conformance/conformance.hpp"
#include "tests/conformance/conformance_lists.hpp"

// Every kernel of the corpus against its oracle.

namespace vyre::tests {
namespace {

using kernels::KernelCase;

program::Program program_of(const KernelCase& kernel) {
  const std::filesystem::path path = std::filesystem::path{VYRE_SOURCE_DIR} / "tests/kernels" / (kernel.name + ".comp");
  return must(program::Program::from_file(path, {.name = kernel.name}));
}

/// Runs a kernel and compares; empty if all is as the oracle says.
std::string run_kernel(Device& device, const KernelCase& kernel, PipelineHandle pipeline) {
  std::vector<kernels::Buffer> expected = kernel.buffers;
  kernel.oracle(expected);
  std::vector<BufferRange> ranges;
  for (const kernels::Buffer& buffer : kernel.buffers) {
    ranges.push_back({.buffer = must(device.allocate({.size = buffer.bytes.size()}))});
    must(device.write(ranges.back().buffer, 0, buffer.bytes));
  }
  CommandList list;
  list.dispatch(pipeline, ranges, kernel.groups, kernel.push_constants);
  must(device.wait(must(device.submit(list))));
  std::string wrong;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    kernels::Buffer actual = kernel.buffers[i];
    must(device.read(ranges[i].buffer, 0, actual.bytes));
    must(device.free(ranges[i].buffer));
    const std::string differs = difference(actual, expected[i]);
    if (!differs.empty()) wrong += fmt::format("buffer {} of set {}: {}\n", actual.slot, actual.set, differs);
  }
  return wrong;
}

TEST_P(Conformance, RunsTheCorpus) {
  int ran = 0;
  for (const KernelCase& kernel : corpus()) {
    SCOPED_TRACE(kernel.name);
    const std::string test = "Corpus." + kernel.name;
    if (find_exception(unsupported(), GetParam(), test) != nullptr) continue;
    const program::Program program = program_of(kernel);
    std::vector<SpecOverride> values;
    for (const kernels::SpecValue& value : kernel.spec_values) {
      values.push_back({.spec_id = value.id, .bits = value.bits});
    }
    const auto pipeline = device().compile(program, {.values = values});
    const auto missing = std::ranges::find_if(program.interface().capabilities,
                                              [&](const std::string& name) { return !has_capability(name); });
    if (missing != program.interface().capabilities.end()) {
      EXPECT_TRUE(is_refused(pipeline, ErrorCode::Unsupported, {*missing}));
      continue;
    }
    must(pipeline);
    const std::string wrong = run_kernel(device(), kernel, *pipeline);
    must(device().free(*pipeline));
    if (const Exception* entry = find_exception(expected_to_fail(), GetParam(), test)) {
      EXPECT_NE(wrong, "") << "take it off the list of those expected to fail: " << entry->reason;
    } else {
      EXPECT_EQ(wrong, "");
    }
    ++ran;
  }
  // A device without doubles, halves and the like runs most of them all the same.
  EXPECT_GE(ran, 80);
  RecordProperty("kernels", ran);
}

}  // namespace
}  // namespace vyre::tests
