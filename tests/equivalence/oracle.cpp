#include "tests/equivalence/oracle.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "tests/equivalence/random.hpp"

namespace vyre::tests {
namespace {

class Oracle {
 public:
  explicit Oracle(const RandomProgram& program) : program_{program}, generations_(program.buffers.size()) {
    for (const BufferShape& shape : program.buffers) {
      expected_.buffers.push_back(shape.seed == 0 ? std::vector<std::byte>(shape.size)
                                                  : bytes_of_seed(shape.size, shape.seed));
    }
    expected_.seen.resize(program.operations.size());
    expected_.refused.resize(program.operations.size());
  }

  Expected run() {
    for (; at_ < program_.operations.size(); ++at_) {
      std::visit([this](const auto& op) { execute(op); }, program_.operations[at_].what);
    }
    return std::move(expected_);
  }

 private:
  using Generations = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  struct Prepared {
    Call call = {};
    Generations generations = {};
  };
  struct Capture {
    std::vector<ops::Captured> body = {};  // Prepared dispatches in it have become plain ones.
    Generations generations = {};
  };

  std::span<std::byte> bytes(const Range& range) {
    return std::span{expected_.buffers[range.buffer]}.subspan(range.offset, range.size);
  }

  void note(const Range& range, Generations& generations) const {
    generations.emplace_back(range.buffer, generations_[range.buffer]);
  }
  void note(const Call& call, Generations& generations) const {
    for (const Range& range : call.ranges) note(range, generations);
  }
  [[nodiscard]] bool is_alive(const Generations& generations) const {
    return std::ranges::all_of(generations, [&](const auto& one) { return generations_[one.first] == one.second; });
  }

  void call(const Call& call) {
    const TestKernel& kernel = test_kernels()[call.kernel];
    std::vector<std::span<std::byte>> bindings;
    for (const Range& range : call.ranges) bindings.push_back(bytes(range));
    std::vector<std::byte> params;
    if (kernel.block != nullptr) params = kernel.block(call.params);
    backends::fake::Invocation invocation{.groups = {call.groups.x, call.groups.y, call.groups.z},
                                          .workgroup = {kWorkgroup, 1, 1},
                                          .bindings = bindings,
                                          .params = params,
                                          .values = call.values};
    for (const program::spirv::SpecOverride& value : call.values) {
      if (value.spec_id == kWorkgroupSpecId) invocation.workgroup[0] = static_cast<std::uint32_t>(value.bits);
    }
    for (std::uint32_t i = 0; i < call.repeat; ++i) kernel.run(invocation);
  }

  void execute(const ops::Dispatch& op) { call(op.call); }
  void execute(const ops::DispatchMany& op) {
    for (const Call& one : op.calls) call(one);
  }
  void execute(const ops::Prepare& op) {
    Prepared prepared{.call = op.call};
    note(op.call, prepared.generations);
    prepared_.insert_or_assign(op.id, std::move(prepared));
  }
  void execute(const ops::Enqueue& op) {
    const auto found = prepared_.find(op.id);
    if (found == prepared_.end()) return;
    if (!is_alive(found->second.generations)) {
      expected_.refused[at_] = true;
      return;
    }
    Call changed = found->second.call;
    if (op.params) changed.params = *op.params;
    call(changed);
  }
  void execute(const ops::EnqueueMany& op) {
    for (const std::uint32_t id : op.ids) {
      const auto found = prepared_.find(id);
      if (found != prepared_.end() && !is_alive(found->second.generations)) expected_.refused[at_] = true;
    }
    if (expected_.refused[at_]) return;
    for (const std::uint32_t id : op.ids) execute(ops::Enqueue{.id = id});
  }
  void execute(const ops::Capture& op) {
    Capture capture;
    for (const ops::Captured& captured : op.body) {
      if (const auto* enqueue = std::get_if<ops::Enqueue>(&captured)) {
        const auto found = prepared_.find(enqueue->id);
        if (found == prepared_.end()) continue;
        if (!is_alive(found->second.generations)) {
          expected_.refused[at_] = true;
          return;
        }
        Call changed = found->second.call;
        if (enqueue->params) changed.params = *enqueue->params;
        note(changed, capture.generations);
        capture.body.emplace_back(ops::Dispatch{.call = std::move(changed)});
        continue;
      }
      if (const auto* dispatch = std::get_if<ops::Dispatch>(&captured)) note(dispatch->call, capture.generations);
      if (const auto* copy = std::get_if<ops::Copy>(&captured)) {
        note(copy->from, capture.generations);
        note(copy->to, capture.generations);
      }
      if (const auto* fill = std::get_if<ops::Fill>(&captured)) note(fill->range, capture.generations);
      if (const auto* write = std::get_if<ops::Write>(&captured)) note(write->range, capture.generations);
      if (const auto* read = std::get_if<ops::Read>(&captured)) note(read->range, capture.generations);
      capture.body.push_back(captured);
    }
    captures_.insert_or_assign(op.id, std::move(capture));
  }
  void execute(const ops::Replay& op) {
    const auto found = captures_.find(op.id);
    if (found == captures_.end()) return;
    if (!is_alive(found->second.generations)) {
      expected_.refused[at_] = true;
      return;
    }
    std::size_t writes = 0;
    for (const ops::Captured& captured : found->second.body) {
      if (const auto* write = std::get_if<ops::Write>(&captured)) {
        std::ranges::copy(ops::captured_bytes(op, writes++, write->range.size), bytes(write->range).begin());
      } else if (const auto* read = std::get_if<ops::Read>(&captured)) {
        keep(read->range);
      } else if (const auto* dispatch = std::get_if<ops::Dispatch>(&captured)) {
        Call changed = dispatch->call;
        const auto other = std::ranges::find(op.others, changed.label, &ops::Replay::Other::label);
        if (!changed.label.empty() && other != op.others.end()) changed.params = other->params;
        call(changed);
      } else if (const auto* copy = std::get_if<ops::Copy>(&captured)) {
        execute(*copy);
      } else if (const auto* fill = std::get_if<ops::Fill>(&captured)) {
        execute(*fill);
      }
    }
  }
  void execute(const ops::Copy& op) { std::ranges::copy(bytes(op.from), bytes(op.to).begin()); }
  void execute(const ops::Fill& op) {
    const std::span<std::byte> to = bytes(op.range);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(op.pattern >> (i % 4 * 8));
  }
  void execute(const ops::Write& op) {
    std::ranges::copy(bytes_of_seed(op.range.size, op.seed), bytes(op.range).begin());
  }
  void execute(const ops::Read& op) { keep(op.range); }
  void execute(const ops::Map& op) {
    keep(op.range);
    std::ranges::copy(bytes_of_seed(op.range.size, op.seed), bytes(op.range).begin());
  }
  void execute(const ops::Renew& op) {
    std::ranges::fill(expected_.buffers[op.buffer], std::byte{0});
    ++generations_[op.buffer];
  }
  void execute(const ops::Flush& /*op*/) {}
  void execute(const ops::Wait& /*op*/) {}
  void execute(const ops::Finish& /*op*/) {}

  void keep(const Range& range) {
    const std::span<const std::byte> now = bytes(range);
    expected_.seen[at_].insert(expected_.seen[at_].end(), now.begin(), now.end());
  }

  const RandomProgram& program_;
  std::vector<std::uint32_t> generations_;
  Expected expected_;
  std::size_t at_ = 0;
  std::map<std::uint32_t, Prepared> prepared_;
  std::map<std::uint32_t, Capture> captures_;
};

}  // namespace

Expected run_in_order(const RandomProgram& program) { return Oracle{program}.run(); }

}  // namespace vyre::tests
