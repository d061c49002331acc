#include "tests/equivalence/run_program.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tests/equivalence/random.hpp"

namespace vyre::tests {
namespace {

using runtime::Argument;
using runtime::BufferView;
using runtime::Params;
using runtime::Session;

Params params_of(std::uint32_t kernel, const ParamWords& words, ParamStyle style) {
  const TestKernel& found = test_kernels()[kernel];
  return found.params == nullptr ? Params{} : found.params(words, style);
}

std::vector<BufferView> views_of(const Call& call, std::span<const BufferView> buffers) {
  std::vector<BufferView> views;
  for (const Range& range : call.ranges) views.push_back(buffers[range.buffer].bytes(range.offset, range.size));
  return views;
}

std::vector<Argument> arguments_of(const Call& call, std::span<const BufferView> buffers) {
  const std::vector<BufferView> views = views_of(call, buffers);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (call.by_name) {
      arguments.emplace_back(test_kernels()[call.kernel].slots[i].name, views[i]);
    } else {
      arguments.emplace_back(views[i]);
    }
  }
  // Names may come in any order.
  if (call.by_name) std::ranges::reverse(arguments);
  return arguments;
}

runtime::DispatchOptions options_of(const Call& call) {
  return {.groups = call.groups,
          .params = params_of(call.kernel, call.params, call.style),
          .values = call.values,
          .label = call.label,
          .repeat = call.repeat};
}

/// "" if they are the same.
std::string difference(std::span<const std::byte> is, std::span<const std::byte> should_be) {
  const auto [at, wanted] = std::ranges::mismatch(is, should_be);
  if (at == is.end() && wanted == should_be.end()) return {};
  return fmt::format("byte {} is {:#04x}, it should be {:#04x}", at - is.begin(), std::to_integer<unsigned>(*at),
                     std::to_integer<unsigned>(*wanted));
}

class Runner {
 public:
  Runner(Session& session, const RandomProgram& program, const Expected& expected, ReadBytes& reads)
      : session_{session}, program_{program}, expected_{expected}, reads_{reads} {
    // A vector for each operation and each buffer, which stay where they are.
    reads_.assign(program.operations.size() + program.buffers.size(), {});
  }

  Result<std::string> run() {
    for (const BufferShape& shape : program_.buffers) VYRE_TRY(make_buffer(shape));
    for (; at_ < program_.operations.size(); ++at_) {
      Result<void> done = std::visit([this](const auto& op) { return tell(op); }, program_.operations[at_].what);
      if (done && expected_.refused[at_]) return describe("it should be refused");
      const bool is_refusal = !done && done.error().code == ErrorCode::InvalidArgument;
      if (!done && !(is_refusal && expected_.refused[at_])) {
        return in_context(std::move(done).error(), describe("while running this"));
      }
      if (!wrong_.empty()) return describe(wrong_);
    }
    return compare_buffers();
  }

 private:
  Result<void> make_buffer(const BufferShape& shape) {
    if (shape.seed == 0) {
      VYRE_ASSIGN(const BufferView view, session_.bytes(shape.size));
      buffers_.push_back(view);
      return {};
    }
    VYRE_ASSIGN(const runtime::Buffer<std::byte> made,
                session_.buffer<std::byte>(bytes_of_seed(shape.size, shape.seed)));
    buffers_.push_back(made);
    return {};
  }

  [[nodiscard]] BufferView view(const Range& range) const {
    return buffers_[range.buffer].bytes(range.offset, range.size);
  }

  Result<void> tell(const ops::Dispatch& op) { return dispatch(session_, op.call, buffers_); }
  Result<void> tell(const ops::DispatchMany& op) {
    std::vector<std::vector<BufferView>> views;
    std::vector<runtime::DispatchItem> items;
    views.reserve(op.calls.size());
    for (const Call& call : op.calls) {
      items.push_back({.buffers = views.emplace_back(views_of(call, buffers_)),
                       .groups = call.groups,
                       .params = params_of(call.kernel, call.params, call.style)});
    }
    return session_.dispatch_many(program_of(op.calls.front().kernel), items);
  }
  Result<void> tell(const ops::Prepare& op) {
    const std::vector<Argument> arguments = arguments_of(op.call, buffers_);
    VYRE_ASSIGN(const runtime::Prepared made,
                session_.prepare(program_of(op.call.kernel), arguments, options_of(op.call)));
    prepared_[op.id] = {made, op.call.kernel};
    return {};
  }
  Result<void> tell(const ops::Enqueue& op) {
    const auto found = prepared_.find(op.id);
    if (found == prepared_.end()) return {};
    const auto& [prepared, kernel] = found->second;
    if (!op.params) return session_.enqueue(prepared);
    return session_.enqueue(prepared, params_of(kernel, *op.params, op.style));
  }
  Result<void> tell(const ops::EnqueueMany& op) {
    std::vector<runtime::Prepared> all;
    for (const std::uint32_t id : op.ids) {
      if (const auto found = prepared_.find(id); found != prepared_.end()) all.push_back(found->second.first);
    }
    return session_.enqueue(all);
  }

  /// A capture, and the host memory of its transfers: writes have vectors of their own, reads follow one another.
  struct Captured {
    runtime::Capture capture = {};
    std::size_t at = 0;  // The operation that made it, to whose bytes it reads.
    std::vector<std::pair<Range, std::vector<std::byte>>> writes = {};
    std::vector<Range> reads = {};
    std::optional<std::size_t> last_replay = {};  // Into these bytes.

    [[nodiscard]] bool has_view_twice() const {
      const auto is_twice = [](const Range& range, const auto& all, auto range_of) {
        return std::ranges::count_if(all, [&](const auto& each) { return range_of(each) == range; }) > 1;
      };
      const auto of_write = [](const auto& write) { return write.first; };
      return std::ranges::any_of(writes, [&](const auto& each) { return is_twice(each.first, writes, of_write); }) ||
             std::ranges::any_of(reads, [&](const Range& each) { return is_twice(each, reads, std::identity{}); });
    }
  };

  Result<void> tell(const ops::Capture& op) {
    Captured made{.at = at_};
    std::uint64_t read_bytes = 0;
    for (const ops::Captured& captured : op.body) {
      if (const auto* write = std::get_if<ops::Write>(&captured)) {
        made.writes.emplace_back(write->range, std::vector<std::byte>(write->range.size));
      } else if (const auto* read = std::get_if<ops::Read>(&captured)) {
        made.reads.push_back(read->range);
        read_bytes += read->range.size;
      }
    }
    reads_[at_].resize(read_bytes);
    std::span<std::byte> room = reads_[at_];
    auto write = made.writes.begin();
    VYRE_ASSIGN(made.capture, session_.capture([&]() -> Result<void> {
      for (const ops::Captured& captured : op.body) {
        if (std::holds_alternative<ops::Write>(captured)) {
          VYRE_TRY(session_.write_bytes(view(write->first), write->second));
          ++write;
        } else if (const auto* read = std::get_if<ops::Read>(&captured)) {
          VYRE_TRY(session_.read_bytes(view(read->range), room.first(read->range.size)));
          room = room.subspan(read->range.size);
        } else {
          VYRE_TRY(std::visit([this](const auto& inner) { return tell(inner); }, captured));
        }
      }
      return {};
    }));
    captures_[op.id] = std::move(made);
    return {};
  }

  Result<void> tell(const ops::Replay& op) {
    const auto found = captures_.find(op.id);
    if (found == captures_.end()) return {};
    Captured& captured = found->second;
    std::vector<runtime::CaptureParams> others;
    for (const ops::Replay::Other& other : op.others) {
      others.push_back({.label = other.label, .params = params_of(other.kernel, other.params, other.style)});
    }
    const bool has_own_bytes = op.has_own_bytes && !captured.has_view_twice();
    std::vector<std::vector<std::byte>> sources;
    std::vector<runtime::CaptureBytes> bytes;
    for (std::size_t i = 0; i < captured.writes.size(); ++i) {
      auto& [range, memory] = captured.writes[i];
      const std::vector<std::byte> source = ops::captured_bytes(op, i, range.size);
      if (has_own_bytes) {
        bytes.push_back({.view = view(range), .from = sources.emplace_back(source)});
      } else {
        std::ranges::copy(source, memory.begin());
      }
    }
    if (has_own_bytes) {
      reads_[at_].resize(expected_.seen[at_].size());
      std::span<std::byte> room = reads_[at_];
      for (const Range& range : captured.reads) {
        if (expected_.refused[at_]) break;
        bytes.push_back({.view = view(range), .to = room.first(range.size)});
        room = room.subspan(range.size);
      }
    }
    VYRE_TRY(session_.replay(captured.capture, others, {}, bytes));
    // The source may go as soon as the call returns.
    for (auto& [range, memory] : captured.writes) std::ranges::fill(memory, std::byte{0xee});
    for (std::vector<std::byte>& source : sources) std::ranges::fill(source, std::byte{0xee});
    if (captured.reads.empty()) return {};
    if (!has_own_bytes) {
      // The bytes of an earlier replay may be overwritten at any time now.
      if (captured.last_replay) std::erase(due_, *captured.last_replay);
      captured.last_replay = at_;
      read_to_[at_] = captured.at;
    }
    due_.push_back(at_);
    return {};
  }
  Result<void> tell(const ops::Copy& op) { return session_.copy(view(op.from), view(op.to)); }
  Result<void> tell(const ops::Fill& op) { return session_.fill(view(op.range), op.pattern); }
  Result<void> tell(const ops::Write& op) { return write(view(op.range), op.seed); }
  Result<void> tell(const ops::Read& op) {
    reads_[at_].resize(op.range.size);
    due_.push_back(at_);
    return session_.read_bytes(view(op.range), reads_[at_]);
  }
  Result<void> tell(const ops::Map& op) {
    const Result<std::span<std::byte>> shared = session_.map(view(op.range));
    if (shared) {
      wrong_ = difference(*shared, expected_.seen[at_]);
      std::ranges::copy(bytes_of_seed(op.range.size, op.seed), shared->begin());
      return {};
    }
    if (shared.error().code != ErrorCode::Unsupported) return std::unexpected{shared.error()};
    return write(view(op.range), op.seed);
  }
  Result<void> tell(const ops::Renew& op) {
    const std::uint64_t size = buffers_[op.buffer].size;
    VYRE_TRY(session_.free(buffers_[op.buffer]));
    VYRE_ASSIGN(buffers_[op.buffer], session_.bytes(size));
    return {};
  }
  Result<void> tell(const ops::Flush& op) {
    VYRE_ASSIGN(const runtime::SessionTicket ticket, session_.flush());
    tickets_[op.id] = {ticket, at_};
    return {};
  }
  Result<void> tell(const ops::Wait& op) {
    const auto found = tickets_.find(op.id);
    if (found == tickets_.end()) return {};
    VYRE_TRY(session_.wait(found->second.first));
    compare_reads(found->second.second);
    return {};
  }
  Result<void> tell(const ops::Finish& /*op*/) {
    VYRE_TRY(session_.finish());
    compare_reads(at_);
    return {};
  }

  Result<void> write(const BufferView& to, std::uint64_t seed) {
    std::vector<std::byte> bytes = bytes_of_seed(to.size, seed);
    Result<void> done = session_.write_bytes(to, bytes);
    std::ranges::fill(bytes, std::byte{0xee});
    return done;
  }

  /// Those of operations before `end`.
  void compare_reads(std::size_t end) {
    for (const std::size_t read : due_) {
      if (read >= end || !wrong_.empty()) continue;
      const auto place = read_to_.find(read);
      wrong_ = difference(reads_[place == read_to_.end() ? read : place->second], expected_.seen[read]);
      if (!wrong_.empty()) wrong_ = fmt::format("the read of operation {}: {}", read, wrong_);
    }
    std::erase_if(due_, [end](std::size_t read) { return read < end; });
  }

  Result<std::string> compare_buffers() {
    const std::span contents = std::span{reads_}.last(buffers_.size());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      contents[i].resize(buffers_[i].size);
      VYRE_TRY(session_.read_bytes(buffers_[i], contents[i]));
    }
    VYRE_TRY(session_.finish());
    compare_reads(program_.operations.size());
    if (!wrong_.empty()) return wrong_;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const std::string wrong = difference(contents[i], expected_.buffers[i]);
      if (!wrong.empty()) return fmt::format("buffer b{} at the end: {}", i, wrong);
      VYRE_TRY(session_.free(buffers_[i]));
    }
    return std::string{};
  }

  [[nodiscard]] std::string describe(const std::string& what) const {
    return fmt::format("operation {}, {}: {}", at_, to_text(program_.operations[at_]), what);
  }

  Session& session_;
  const RandomProgram& program_;
  const Expected& expected_;
  std::size_t at_ = 0;
  std::vector<BufferView> buffers_;
  std::map<std::uint32_t, std::pair<runtime::Prepared, std::uint32_t>> prepared_;
  std::map<std::uint32_t, Captured> captures_;
  std::map<std::uint32_t, std::pair<runtime::SessionTicket, std::size_t>> tickets_;
  ReadBytes& reads_;                            // By operation.
  std::map<std::size_t, std::size_t> read_to_;  // Replays that read to the bytes of the operation that captured.
  std::vector<std::size_t> due_;                // Reads that were not compared yet.
  std::string wrong_;
};

}  // namespace

Result<void> dispatch(Session& session, const Call& call, std::span<const BufferView> buffers) {
  const std::vector<Argument> arguments = arguments_of(call, buffers);
  return session.dispatch(program_of(call.kernel), arguments, options_of(call));
}

Result<std::string> run_program(Session& session, const RandomProgram& program, const Expected& expected,
                                ReadBytes& reads) {
  return Runner{session, program, expected, reads}.run();
}

Result<std::string> run_program(Session& session, const RandomProgram& program, const Expected& expected) {
  ReadBytes reads;
  Result<std::string> wrong = run_program(session, program, expected, reads);
  if (!wrong || !wrong->empty()) std::ignore = session.finish();
  return wrong;
}

}  // namespace vyre::tests
