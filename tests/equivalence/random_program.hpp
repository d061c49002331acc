#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <vyre/program/spirv/constants.hpp>
#include <vyre/runtime/session.hpp>

#include "tests/equivalence/kernels.hpp"

/// What a session can be told, as values: made from a seed, run by an oracle and by sessions, cut down, printed.
namespace vyre::tests {

struct Range {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

/// A dispatch.
struct Call {
  std::uint32_t kernel = 0;
  std::vector<Range> ranges = {};
  bool by_name = false;
  runtime::GroupCount groups = {};
  ParamWords params = {};
  ParamStyle style = ParamStyle::InOrder;
  std::vector<program::spirv::SpecOverride> values = {};
  std::uint32_t repeat = 1;
  std::string label = {};
};

/// Prepared dispatches, captures and tickets have ids. What names one that was never made is left out, so that any
/// operation can be dropped.
namespace ops {

struct Dispatch {
  Call call = {};
};
struct DispatchMany {
  std::vector<Call> calls = {};  ///< Of one kernel.
};
struct Prepare {
  std::uint32_t id = 0;
  Call call = {};
};
struct Enqueue {
  std::uint32_t id = 0;
  std::optional<ParamWords> params = {};
  ParamStyle style = ParamStyle::InOrder;
};
/// Of those that were made.
struct EnqueueMany {
  std::vector<std::uint32_t> ids = {};
};
struct Replay {
  struct Other {
    std::string label = {};
    std::uint32_t kernel = 0;
    ParamWords params = {};
    ParamStyle style = ParamStyle::InOrder;
  };
  std::uint32_t id = 0;
  std::vector<Other> others = {};
  std::uint64_t seed = 0;      ///< Of the bytes that captured writes write.
  bool has_own_bytes = false;  ///< Whether host memory is given with it, where no view is transferred twice.
};
struct Copy {
  Range from = {};
  Range to = {};
};
struct Fill {
  Range range = {};
  std::uint32_t pattern = 0;
};
struct Write {
  Range range = {};
  std::uint64_t seed = 0;
};
struct Read {
  Range range = {};
};
/// What can be captured.
using Captured = std::variant<Dispatch, Enqueue, Copy, Fill, Write, Read>;
struct Capture {
  std::uint32_t id = 0;
  std::vector<Captured> body = {};
};
/// The bytes of the nth captured write of a replay.
[[nodiscard]] std::vector<std::byte> captured_bytes(const Replay& replay, std::size_t n, std::uint64_t size);
/// Reads and then writes through shared memory, or by other means where there is none.
struct Map {
  Range range = {};
  std::uint64_t seed = 0;
};
/// Frees a buffer, and makes another like it in its place.
struct Renew {
  std::uint32_t buffer = 0;
};
struct Flush {
  std::uint32_t id = 0;
};
struct Wait {
  std::uint32_t id = 0;
};
struct Finish {};

}  // namespace ops

struct Operation {
  std::variant<ops::Dispatch, ops::DispatchMany, ops::Prepare, ops::Enqueue, ops::EnqueueMany, ops::Capture,
               ops::Replay, ops::Copy, ops::Fill, ops::Write, ops::Read, ops::Map, ops::Renew, ops::Flush, ops::Wait,
               ops::Finish>
      what = ops::Finish{};
};

struct BufferShape {
  std::uint64_t size = 0;
  std::uint64_t seed = 0;  ///< 0 for zeros.
};

struct RandomProgram {
  std::uint64_t seed = 0;
  std::vector<BufferShape> buffers = {};
  std::vector<Operation> operations = {};
};

/// The least that views of dispatches begin at multiples of: what kernels of vectors need.
inline constexpr std::uint64_t kViewAlignment = 16;

/// At most this many operations.
inline constexpr std::size_t kMaxOperations = 200;

/// The program of a seed: valid, deterministic, with ranges that often overlap and batches that come back.
///
/// Views of dispatches begin at multiples of `alignment`, a power of two from `kViewAlignment` on that the device asks
/// for. Buffers are larger for a larger one, so that there are as many places to begin at.
[[nodiscard]] RandomProgram make_random_program(std::uint64_t seed, std::uint64_t alignment = kViewAlignment);

/// A line for each operation.
[[nodiscard]] std::string to_text(const RandomProgram& program);
[[nodiscard]] std::string to_text(const Operation& operation);

}  // namespace vyre::tests
