#include "tests/equivalence/random_program.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/equivalence/random.hpp"

namespace vyre::tests {
namespace {

using program::spirv::SpecOverride;

bool overlaps(const Range& a, const Range& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

/// Whether a kernel may have these ranges at once: what one binding writes no other touches.
bool is_allowed(const TestKernel& kernel, const std::vector<Range>& ranges) {
  if (kernel.is_aliased) return true;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (std::size_t k = i + 1; k < ranges.size(); ++k) {
      if ((kernel.slots[i].writes || kernel.slots[k].writes) && overlaps(ranges[i], ranges[k])) return false;
    }
  }
  return true;
}

class Generator {
 public:
  Generator(std::uint64_t seed, std::uint64_t alignment)
      : random_{seed}, alignment_{alignment}, unit_{std::max<std::uint64_t>(64, alignment)} {
    program_.seed = seed;
  }

  RandomProgram make() {
    const std::uint64_t buffers = random_.between(3, 6);
    for (std::uint64_t i = 0; i < buffers; ++i) {
      const std::uint64_t odd = random_.percent(40) ? random_.below(16) : 0;
      program_.buffers.push_back(
          {.size = unit_ * random_.between(4, 24) + odd, .seed = random_.percent(75) ? random_.next() | 1 : 0});
    }
    const std::size_t wanted = random_.percent(25) ? random_.between(100, kMaxOperations) : random_.between(4, 90);
    while (program_.operations.size() < wanted) {
      if (random_.percent(30)) {
        add_repeated();
      } else {
        for (std::uint64_t left = random_.between(1, 12); left > 0; --left) add(make_any());
      }
    }
    program_.operations.resize(wanted);
    return std::move(program_);
  }

 private:
  void add(Operation operation) { program_.operations.push_back(std::move(operation)); }

  /// The same operations several times, sometimes with other parameters or other bytes.
  void add_repeated() {
    std::vector<Operation> body;
    for (std::uint64_t left = random_.between(1, 10); left > 0; --left) body.push_back(make_repeatable());
    const std::uint64_t times = random_.between(2, 6);
    const std::uint64_t ending = random_.below(4);
    const bool varies = random_.percent(50);
    for (std::uint64_t i = 0; i < times; ++i) {
      for (Operation& operation : body) {
        if (varies && random_.percent(30)) vary(operation);
        add(operation);
      }
      if (ending == 0) add({ops::Finish{}});
      if (ending == 1 || ending == 2) add({make_flush()});
      if (ending == 2 && random_.percent(50)) add({make_wait()});
    }
  }

  void vary(Operation& operation) {
    if (auto* dispatch = std::get_if<ops::Dispatch>(&operation.what)) {
      dispatch->call.params = make_words();
      if (random_.percent(20)) dispatch->call.ranges = pick_ranges(dispatch->call.kernel);
    } else if (auto* many = std::get_if<ops::DispatchMany>(&operation.what)) {
      for (Call& call : many->calls) call.params = make_words();
    } else if (auto* enqueue = std::get_if<ops::Enqueue>(&operation.what)) {
      if (enqueue->params) enqueue->params = make_words();
    } else if (auto* replay = std::get_if<ops::Replay>(&operation.what)) {
      for (ops::Replay::Other& other : replay->others) other.params = make_words();
      replay->seed = random_.next();
    } else if (auto* write = std::get_if<ops::Write>(&operation.what)) {
      write->seed = random_.next();
    }
  }

  Operation make_any() {
    const std::uint64_t roll = random_.below(100);
    if (roll < 6) return {make_prepare()};
    if (roll < 11) return {make_capture()};
    if (roll < 13) return {ops::Map{.range = pick_bytes(), .seed = random_.next()}};
    if (roll < 15) return {ops::Renew{.buffer = pick_buffer()}};
    if (roll < 20) return {make_flush()};
    if (roll < 24) return {make_wait()};
    if (roll < 26) return {ops::Finish{}};
    return make_repeatable();
  }

  Operation make_repeatable() {
    const std::uint64_t roll = random_.below(100);
    if (roll < 32) return {ops::Dispatch{.call = make_call()}};
    if (roll < 38) return {make_many()};
    if (roll < 49 && prepared_count_ > 0) return {make_enqueue()};
    if (roll < 52 && prepared_count_ > 0) return {make_enqueue_many()};
    if (roll < 64 && !captures_.empty()) return {make_replay()};
    if (roll < 74) return {make_copy()};
    if (roll < 84) return {make_fill()};
    if (roll < 92) return {ops::Write{.range = pick_bytes(), .seed = random_.next()}};
    return {ops::Read{.range = pick_bytes()}};
  }

  /// Operations that may be captured.
  ops::Captured make_captured(std::vector<ops::Replay::Other>& labels) {
    const std::uint64_t roll = random_.below(13);
    if (roll < 1 && prepared_count_ > 0) return make_enqueue();
    if (roll < 3) return make_copy();
    if (roll < 5) return make_fill();
    if (roll < 7) return ops::Write{.range = pick_bytes()};
    if (roll < 9) return ops::Read{.range = pick_bytes()};
    Call call = make_call();
    if (random_.percent(60)) {
      // Dispatches of one kernel share a label, now and then.
      const auto alike = std::ranges::find(labels, call.kernel, &ops::Replay::Other::kernel);
      if (alike != labels.end() && random_.percent(40)) {
        call.label = alike->label;
      } else {
        call.label = fmt::format("label{}", labels.size());
        labels.push_back({.label = call.label, .kernel = call.kernel});
      }
    }
    return ops::Dispatch{.call = std::move(call)};
  }

  ops::Prepare make_prepare() {
    Call call = make_call();
    prepared_kernels_.push_back(call.kernel);
    return {.id = prepared_count_++, .call = std::move(call)};
  }

  ops::Enqueue make_enqueue() {
    const auto id = static_cast<std::uint32_t>(random_.below(prepared_count_));
    ops::Enqueue enqueue{.id = id};
    if (test_kernels()[prepared_kernels_[id]].params != nullptr && random_.percent(50)) {
      enqueue.params = make_words();
      enqueue.style = make_style();
    }
    return enqueue;
  }

  ops::EnqueueMany make_enqueue_many() {
    ops::EnqueueMany many;
    for (std::uint64_t left = random_.between(1, 5); left > 0; --left) {
      many.ids.push_back(static_cast<std::uint32_t>(random_.below(prepared_count_)));
    }
    return many;
  }

  ops::Capture make_capture() {
    ops::Capture capture{.id = static_cast<std::uint32_t>(captures_.size())};
    std::vector<ops::Replay::Other> labels;
    for (std::uint64_t left = random_.between(1, 8); left > 0; --left) capture.body.push_back(make_captured(labels));
    std::erase_if(labels, [](const auto& label) { return test_kernels()[label.kernel].params == nullptr; });
    captures_.push_back(std::move(labels));
    return capture;
  }

  ops::Replay make_replay() {
    ops::Replay replay{.id = static_cast<std::uint32_t>(random_.below(captures_.size())),
                       .seed = random_.next(),
                       .has_own_bytes = random_.percent(50)};
    for (ops::Replay::Other other : captures_[replay.id]) {
      if (random_.percent(50)) continue;
      other.params = make_words();
      other.style = make_style();
      replay.others.push_back(std::move(other));
    }
    return replay;
  }

  ops::Flush make_flush() { return {.id = flush_count_++}; }
  ops::Wait make_wait() {
    return {.id = flush_count_ == 0 ? 0 : static_cast<std::uint32_t>(random_.below(flush_count_))};
  }

  ops::Copy make_copy() {
    for (;;) {
      ops::Copy copy{.from = pick_bytes(), .to = pick_bytes()};
      copy.from.size = copy.to.size = std::min(copy.from.size, copy.to.size);
      if (!overlaps(copy.from, copy.to)) return copy;
    }
  }

  ops::Fill make_fill() {
    ops::Fill fill{.range = pick_bytes(), .pattern = random_.word()};
    if (fill.range.offset % 4 != 0 || fill.range.size % 4 != 0) fill.pattern = (fill.pattern & 0xff) * 0x0101'0101U;
    return fill;
  }

  ops::DispatchMany make_many() {
    ops::DispatchMany many;
    Call first = make_call();
    first.values.clear();
    first.repeat = 1;
    first.by_name = false;
    for (std::uint64_t left = random_.between(1, 6); left > 0; --left) {
      Call call = first;
      if (random_.percent(80)) call.ranges = pick_ranges(call.kernel);
      if (random_.percent(80)) call.params = make_words();
      if (random_.percent(50)) call.groups = make_groups(call);
      many.calls.push_back(std::move(call));
    }
    return many;
  }

  Call make_call() {
    Call call;
    call.kernel = static_cast<std::uint32_t>(random_.below(test_kernels().size()));
    const TestKernel& kernel = test_kernels()[call.kernel];
    call.ranges = pick_ranges(call.kernel);
    call.by_name = kernel.has_names && random_.percent(30);
    call.params = make_words();
    call.style = make_style();
    if (kernel.has_values && random_.percent(60)) {
      if (random_.percent(50))
        call.values.push_back({.spec_id = kWorkgroupSpecId, .bits = random_.percent(50) ? 16U : 32U});
      if (random_.percent(80)) call.values.push_back({.spec_id = kFactorSpecId, .bits = random_.between(6, 8)});
    }
    call.groups = make_groups(call);
    call.repeat = random_.percent(15) ? static_cast<std::uint32_t>(random_.between(2, 5)) : 1;
    return call;
  }

  runtime::GroupCount make_groups(const Call& call) {
    std::uint64_t bytes = 0;
    for (const Range& range : call.ranges) bytes = std::max(bytes, range.size);
    const std::uint64_t all = bytes / 4 / kWorkgroup + 1;
    runtime::GroupCount groups{.x = static_cast<std::uint32_t>(random_.percent(70) ? all : random_.between(1, all))};
    if (random_.percent(2)) groups.x = 0;
    if (test_kernels()[call.kernel].is_grid && random_.percent(50)) {
      groups.y = static_cast<std::uint32_t>(random_.between(1, 3));
      groups.z = static_cast<std::uint32_t>(random_.between(1, 2));
    }
    return groups;
  }

  std::vector<Range> pick_ranges(std::uint32_t index) {
    const TestKernel& kernel = test_kernels()[index];
    for (int attempt = 0;; ++attempt) {
      std::vector<Range> ranges;
      for (const KernelSlot& slot : kernel.slots) ranges.push_back(pick_view(slot.min_bytes, attempt > 8));
      if (kernel.is_aliased) {
        // Either the same bytes or others altogether: what lies in between would depend on the order of invocations.
        if (random_.percent(50))
          ranges[1] = ranges[0];
        else if (overlaps(ranges[0], ranges[1]))
          continue;
      }
      if (is_allowed(kernel, ranges)) return ranges;
    }
  }

  /// A view for a dispatch; a small one where many do not fit beside each other.
  Range pick_view(std::uint64_t min_bytes, bool is_small) {
    const std::uint32_t buffer = pick_buffer();
    const std::uint64_t whole = program_.buffers[buffer].size / 4 * 4;
    const std::uint64_t roll = random_.below(100);
    if (!is_small && roll < 20) return {.buffer = buffer, .offset = 0, .size = whole};
    if (is_small || roll < 60) return {.buffer = buffer, .offset = unit_ * random_.below(whole / unit_), .size = 64};
    const std::uint64_t offset = alignment_ * random_.below((whole - min_bytes) / alignment_ + 1);
    return {.buffer = buffer, .offset = offset, .size = 4 * random_.between(min_bytes / 4, (whole - offset) / 4)};
  }

  /// Any bytes, aligned half of the time.
  Range pick_bytes() {
    const std::uint32_t buffer = pick_buffer();
    const std::uint64_t whole = program_.buffers[buffer].size;
    if (random_.percent(10)) return {.buffer = buffer, .offset = 0, .size = whole};
    const std::uint64_t unit = random_.percent(50) ? 4 : 1;
    const std::uint64_t offset = unit * random_.below(whole / unit);
    const std::uint64_t most = std::max<std::uint64_t>(1, (whole - offset) / unit);
    return {
        .buffer = buffer,
        .offset = offset,
        .size = std::min(whole - offset,
                         unit * random_.between(1, random_.percent(70) ? std::min<std::uint64_t>(most, 40) : most))};
  }

  std::uint32_t pick_buffer() { return static_cast<std::uint32_t>(random_.below(program_.buffers.size())); }
  ParamStyle make_style() { return static_cast<ParamStyle>(random_.below(3)); }
  ParamWords make_words() {
    ParamWords words;
    for (std::uint32_t& word : words) word = random_.word();
    return words;
  }

  Random random_;
  std::uint64_t alignment_;
  std::uint64_t unit_;  // Of the sizes of buffers, and where small views begin.
  RandomProgram program_;
  std::uint32_t prepared_count_ = 0;
  std::uint32_t flush_count_ = 0;
  std::vector<std::uint32_t> prepared_kernels_;
  std::vector<std::vector<ops::Replay::Other>> captures_;  // The labels that can get other parameters.
};

std::string_view to_string(ParamStyle style) {
  switch (style) {
    case ParamStyle::InOrder: return "in order";
    case ParamStyle::ByName: return "by name";
    case ParamStyle::Block: break;
  }
  return "as a block";
}

std::string to_text(const Range& range) {
  return fmt::format("b{}[{}..{})", range.buffer, range.offset, range.offset + range.size);
}

std::string to_text(const ParamWords& words, ParamStyle style) {
  return fmt::format("params {:#x} {:#x} {:#x} {:#x} {:#x} {}", words[0], words[1], words[2], words[3], words[4],
                     to_string(style));
}

std::string to_text(const Call& call) {
  const TestKernel& kernel = test_kernels()[call.kernel];
  std::string text{kernel.name};
  for (std::size_t i = 0; i < call.ranges.size(); ++i) {
    text += fmt::format(" {}={}", kernel.slots[i].name, to_text(call.ranges[i]));
  }
  if (call.by_name) text += " by name";
  text += fmt::format(" groups {}x{}x{}", call.groups.x, call.groups.y, call.groups.z);
  if (kernel.params != nullptr) text += " " + to_text(call.params, call.style);
  for (const SpecOverride& value : call.values) text += fmt::format(" constant {}={}", value.spec_id, value.bits);
  if (call.repeat != 1) text += fmt::format(" {} times", call.repeat);
  if (!call.label.empty()) text += " labelled " + call.label;
  return text;
}

struct Printer {
  std::string operator()(const ops::Dispatch& op) const { return "dispatch " + to_text(op.call); }
  std::string operator()(const ops::DispatchMany& op) const {
    std::string text = "dispatch many";
    for (const Call& call : op.calls) text += "\n      " + to_text(call);
    return text;
  }
  std::string operator()(const ops::Prepare& op) const {
    return fmt::format("prepare p{} {}", op.id, to_text(op.call));
  }
  std::string operator()(const ops::Enqueue& op) const {
    return fmt::format("enqueue p{} {}", op.id, op.params ? to_text(*op.params, op.style) : "");
  }
  std::string operator()(const ops::EnqueueMany& op) const {
    return fmt::format("enqueue p{}", fmt::join(op.ids, " p"));
  }
  std::string operator()(const ops::Capture& op) const {
    std::string text = fmt::format("capture c{}", op.id);
    for (const ops::Captured& captured : op.body) text += "\n      " + std::visit(*this, captured);
    return text;
  }
  std::string operator()(const ops::Replay& op) const {
    std::string text = fmt::format("replay c{}{}", op.id, op.has_own_bytes ? " with host memory of its own" : "");
    for (const ops::Replay::Other& other : op.others) {
      text += fmt::format("\n      {} {}", other.label, to_text(other.params, other.style));
    }
    return text;
  }
  std::string operator()(const ops::Copy& op) const {
    return fmt::format("copy {} to {}", to_text(op.from), to_text(op.to));
  }
  std::string operator()(const ops::Fill& op) const {
    return fmt::format("fill {} with {:#010x}", to_text(op.range), op.pattern);
  }
  std::string operator()(const ops::Write& op) const { return fmt::format("write {}", to_text(op.range)); }
  std::string operator()(const ops::Read& op) const { return fmt::format("read {}", to_text(op.range)); }
  std::string operator()(const ops::Map& op) const { return fmt::format("map {}", to_text(op.range)); }
  std::string operator()(const ops::Renew& op) const { return fmt::format("renew b{}", op.buffer); }
  std::string operator()(const ops::Flush& op) const { return fmt::format("flush t{}", op.id); }
  std::string operator()(const ops::Wait& op) const { return fmt::format("wait t{}", op.id); }
  std::string operator()(const ops::Finish& /*op*/) const { return "finish"; }
};

}  // namespace

std::vector<std::byte> ops::captured_bytes(const Replay& replay, std::size_t n, std::uint64_t size) {
  return bytes_of_seed(size, replay.seed + n);
}

RandomProgram make_random_program(std::uint64_t seed, std::uint64_t alignment) {
  return Generator{seed, alignment}.make();
}

std::string to_text(const Operation& operation) { return std::visit(Printer{}, operation.what); }

std::string to_text(const RandomProgram& program) {
  std::string text = fmt::format("program of seed {}\n", program.seed);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    text +=
        fmt::format("  b{} has {} bytes{}\n", i, program.buffers[i].size, program.buffers[i].seed == 0 ? ", zero" : "");
  }
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    text += fmt::format("  {:3} {}\n", i, to_text(program.operations[i]));
  }
  return text;
}

}  // namespace vyre::tests
