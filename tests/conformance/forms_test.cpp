#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/forms/form.hpp>
#include "tests/conformance/conformance.hpp"
#include "tests/conformance/conformance_lists.hpp"
#include "tests/conformance/corpus.hpp"

// Forms of programs: what they compute is what the program as written computes, bit for bit.

namespace vyre::tests {
namespace {

using kernels::KernelCase;
using program::FormKind;

constexpr FormKind kOtherForms[] = {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain};

program::Program program_of(const KernelCase& kernel) {
  const std::filesystem::path path = std::filesystem::path{VYRE_SOURCE_DIR} / "tests/kernels" / (kernel.name + ".comp");
  return must(program::Program::from_file(path, {.name = kernel.name}));
}

/// Runs a kernel several times in one list, each on buffers of its own, and gives what all of them hold then.
std::vector<kernels::Buffer> run(Device& device, const KernelCase& kernel, PipelineHandle pipeline, int items) {
  std::vector<BufferRange> all;
  CommandList list;
  for (int i = 0; i < items; ++i) {
    std::vector<BufferRange> ranges;
    for (const kernels::Buffer& buffer : kernel.buffers) {
      ranges.push_back({.buffer = must(device.allocate({.size = buffer.bytes.size()}))});
      must(device.write(ranges.back().buffer, 0, buffer.bytes));
    }
    list.dispatch(pipeline, ranges, kernel.groups, kernel.push_constants);
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  must(device.wait(must(device.submit(list))));
  std::vector<kernels::Buffer> contents;
  for (std::size_t i = 0; i < all.size(); ++i) {
    kernels::Buffer buffer = kernel.buffers[i % kernel.buffers.size()];
    must(device.read(all[i].buffer, 0, buffer.bytes));
    must(device.free(all[i].buffer));
    contents.push_back(std::move(buffer));
  }
  return contents;
}

/// What differs between two runs; only order-dependent results may.
std::string differences(const std::vector<kernels::Buffer>& actual, const std::vector<kernels::Buffer>& expected) {
  std::string wrong;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    kernels::Buffer exact = expected[i];
    if (exact.comparison.rule == kernels::Comparison::Rule::Within) exact.comparison = {};
    const std::string differs = difference(actual[i], exact);
    if (!differs.empty()) wrong += fmt::format("buffer {} of set {}: {}\n", exact.slot, exact.set, differs);
  }
  return wrong;
}

void run_corpus(Device& device, const std::string& where, int& refused) {
  for (const KernelCase& kernel : corpus()) {
    SCOPED_TRACE(kernel.name);
    if (find_exception(unsupported(), where, "Corpus." + kernel.name) != nullptr) continue;
    const program::Program program = program_of(kernel);
    std::vector<SpecOverride> values;
    for (const kernels::SpecValue& value : kernel.spec_values)
      values.push_back({.spec_id = value.id, .bits = value.bits});
    const auto written = device.compile(program, {.values = values});
    if (!written) continue;  // The corpus itself says which those may be.
    const std::vector<kernels::Buffer> expected = run(device, kernel, *written, 3);
    must(device.free(*written));
    for (const FormKind kind : kOtherForms) {
      SCOPED_TRACE(to_string(kind));
      const auto form = device.compile(program, {.values = values, .form = kind});
      if (!form) {
        EXPECT_EQ(form.error().code, ErrorCode::Unsupported) << to_string(form.error());
        const bool is_limit = form.error().message.contains("the device");
        refused += is_limit ? 0 : 1;
        if (!is_limit) ADD_FAILURE() << to_string(form.error());
        continue;
      }
      EXPECT_EQ(differences(run(device, kernel, *form, 3), expected), "");
      must(device.free(*form));
    }
  }
}

TEST_P(Conformance, RunsTheCorpusInEveryForm) {
  int refused = 0;
  run_corpus(device(), GetParam(), refused);
  EXPECT_LE(refused, 4);
}

TEST_P(Conformance, RunsTheCorpusInEveryFormWithoutChecks) {
  reopen({.robust = false});
  int refused = 0;
  run_corpus(device(), GetParam(), refused);
  EXPECT_LE(refused, 4);
}

}  // namespace
}  // namespace vyre::tests
