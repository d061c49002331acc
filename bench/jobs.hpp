#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vyre/runtime/session.hpp>

#include "bench/raw_list.hpp"

/// Whole jobs, each by a session and as one list in Vulkan written by hand.
namespace vyre::bench {

using DevicePtr = std::shared_ptr<backend::Device>;

[[nodiscard]] program::Program compile_kernel(const char* source, const char* name);

/// Ends the process unless both sides came to the same.
void must_agree(bool agree, const std::string& what);

/// Heat spreads over a plate, to and fro between two buffers.
struct StencilJob {
  static constexpr std::uint32_t kSteps = 1000;

  /// A plate of `size` x `size` cells, a multiple of 16.
  StencilJob(const DevicePtr& device, std::uint32_t size, const runtime::SessionOptions& session_options = {});

  [[nodiscard]] Result<void> dispatch_all();
  runtime::RunReport run();
  /// Runs both from the same beginning and compares every bit.
  [[nodiscard]] bool agree();

  program::Program kernel;
  std::vector<float> plate;
  RawList raw;
  runtime::Session session;
  std::array<runtime::Buffer<float>, 2> plates;
  runtime::DispatchOptions options;
};

/// Numbers are summed by fours, in passes: from the numbers into the second buffer, and from there on to and fro
/// between the second and the third.
struct ReductionJob {
  static constexpr std::uint32_t kCount = 1U << 18;

  struct Pass {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t count = 0;
  };

  explicit ReductionJob(const DevicePtr& device, const runtime::SessionOptions& session_options = {});

  void run_raw();
  void run_raw_one_by_one();
  [[nodiscard]] Result<void> dispatch_all();
  /// Reads the sum and waits.
  runtime::RunReport end();
  runtime::RunReport run();
  /// Runs both and compares the sums with that of the host.
  [[nodiscard]] bool agree();

  program::Program kernel;
  std::vector<Pass> passes;
  std::vector<std::uint32_t> numbers;
  RawList raw;
  runtime::Session session;
  std::array<runtime::Buffer<std::uint32_t>, 3> buffers;
  std::array<std::uint32_t, 1> total = {};
  std::uint32_t raw_total = 0;
};

/// Chunks of the host's memory are copied in, mapped and copied out.
struct MapJob {
  static constexpr std::uint32_t kChunks = 64;
  static constexpr std::uint32_t kChunkFloats = 4096;
  static constexpr std::uint64_t kChunkBytes = kChunkFloats * sizeof(float);

  explicit MapJob(const DevicePtr& device, const runtime::SessionOptions& session_options = {});

  void run_raw();
  void run_raw_one_by_one();
  /// Calls `launch(chunk)` for each chunk between its copies, and waits.
  template <typename Launch>
  runtime::RunReport run_chunks(Launch launch);
  runtime::RunReport run();
  /// Runs both and compares every bit.
  [[nodiscard]] bool agree();

  program::Program kernel;
  std::vector<float> values;
  std::vector<float> results;
  std::vector<float> raw_results;
  RawList raw;
  runtime::Session session;
  runtime::Buffer<float> in;
  runtime::Buffer<float> out;
  std::vector<std::array<runtime::BufferView, 2>> pairs;  ///< By chunk.
  runtime::DispatchOptions options;

 private:
  void copy_in(std::uint64_t offset, std::uint64_t bytes);
  void copy_out(std::uint64_t offset, std::uint64_t bytes);
  void write(std::uint32_t chunk);
  void read(std::uint32_t chunk);
  runtime::RunReport finish();
};

template <typename Launch>
runtime::RunReport MapJob::run_chunks(Launch launch) {
  for (std::uint32_t i = 0; i < kChunks; ++i) {
    write(i);
    launch(i);
    read(i);
  }
  return finish();
}

}  // namespace vyre::bench
