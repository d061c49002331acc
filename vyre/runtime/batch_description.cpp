#include <vyre/runtime/batch_description.hpp>

#include <algorithm>
#include <span>
#include <variant>

namespace vyre::runtime {
namespace {

using plan::mix;

/// A shape tells this number of kinds of groups apart; further kinds are counted with the last.
constexpr std::size_t kMaxKinds = 32;

std::uint64_t workgroups(const backend::Groups& groups) noexcept {
  return std::uint64_t{groups[0]} * groups[1] * groups[2];
}

/// Walks a plan in the order of its launch, and adds up its shape.
class Describer {
 public:
  Describer(const plan::Plan& plan, const plan::Batch& batch, const ProgramTable& programs,
            BatchDescription& description) noexcept
      : plan_{plan}, whole_{batch}, batch_{batch.list}, programs_{programs}, out_{description} {}

  void run() {
    std::vector<choice::GroupKind> room = std::move(out_.shape.kinds);
    room.clear();
    out_.shape = {.kinds = std::move(room), .stretches = 0};
    out_.kinds.clear();
    key_ = std::max<std::uint64_t>(plan_.arms.size(), 1);
    for (const backend::Command& each : whole_.leading.commands()) add_transfer(each);
    if (!whole_.leading.commands().empty()) add_barrier();
    for (const plan::Arm& arm : plan_.arms) {
      stretch_of_ = kNone;
      bool is_first = true;
      for (const plan::Wave& wave : plan_.waves_of(arm)) {
        if (!is_first) add_barrier();
        is_first = false;
        for (const plan::Group& group : plan_.groups_of(wave)) add(group);
      }
    }
    if (!whole_.trailing.commands().empty()) add_barrier();
    for (const backend::Command& each : whole_.trailing.commands()) add_transfer(each);
    out_.shape.key = mix(key_, choice::size_class(bound_alike_));
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void add_barrier() noexcept {
    ++out_.shape.barriers;
    ++barriers_since_;
    key_ = mix(key_, 1);
  }

  void add(const plan::Group& group) {
    if (group.kind == plan::OperationKind::Dispatch) return add_dispatches(group);
    for (const std::uint32_t i : plan_.operations_of(group)) add_transfer(batch_.commands()[i]);
  }

  void add_transfer(const backend::Command& command) noexcept {
    const auto* copy = std::get_if<backend::Copy>(&command);
    const std::uint64_t bytes = copy != nullptr ? copy->size : std::get<backend::Fill>(command).range.size;
    ++out_.shape.copies;
    out_.shape.copied_bytes += bytes;
    stretch_of_ = kNone;
    key_ = mix(key_, (copy != nullptr ? std::uint64_t{2} : std::uint64_t{3}) << 32 | choice::size_class(bytes));
  }

  void add_dispatches(const plan::Group& group) {
    const ShapeKind kind = kind_of(plan_, group, batch_, programs_);
    const std::uint64_t program = programs_[kind.program].id;
    std::uint32_t resources = 0;
    for (const std::uint32_t i : plan_.operations_of(group)) {
      const auto binds = batch_.ranges(std::get<backend::Dispatch>(batch_.commands()[i]));
      if (std::ranges::equal(binds, bound_)) ++bound_alike_;
      bound_ = binds;
      resources = static_cast<std::uint32_t>(binds.size());
    }
    choice::BatchShape& shape = out_.shape;
    shape.dispatches += kind.count;
    if (stretch_of_ != kind.program) ++shape.stretches;
    if (stretch_of_ == kind.program) shape.inner_barriers += barriers_since_;
    stretch_of_ = kind.program;
    barriers_since_ = 0;
    const auto found = std::ranges::find(out_.kinds, kind);
    // The index of the kind goes into the key too, because two programs of a session may have one id for the tuner.
    const auto place = static_cast<std::size_t>(found - out_.kinds.begin());
    key_ = mix(mix(mix(key_, program), std::uint64_t{kind.count} << 32 | kind.size_class), place);
    if (found != out_.kinds.end()) {
      ++shape.kinds[place].groups;
    } else if (out_.kinds.size() < kMaxKinds) {
      out_.kinds.push_back(kind);
      shape.kinds.push_back(
          {.program = program, .count = kind.count, .size_class = kind.size_class, .resources = resources});
    } else {
      shape.kinds.back().groups += std::max(kind.count / shape.kinds.back().count, 1U);
    }
  }

  const plan::Plan& plan_;
  const plan::Batch& whole_;
  const backend::CommandList& batch_;  // Its operations but the leading and trailing transfers.
  const ProgramTable& programs_;
  BatchDescription& out_;
  std::uint64_t key_ = 0;
  std::uint32_t stretch_of_ = kNone;  // The program of the last dispatch, unless a transfer came since.
  std::uint32_t barriers_since_ = 0;  // The barriers since that dispatch.
  std::uint64_t bound_alike_ = 0;     // Dispatches that bind the same buffers as the one before, which is cheaper.
  std::span<const backend::BufferRange> bound_;
};

}  // namespace

ShapeKind kind_of(const plan::Plan& plan, const plan::Group& group, const backend::CommandList& batch,
                  const ProgramTable& programs) {
  std::uint64_t most = 1;
  for (const std::uint32_t i : plan.operations_of(group)) {
    most = std::max(most, workgroups(std::get<backend::Dispatch>(batch.commands()[i]).groups));
  }
  return {.program = programs.program_of(group.program), .count = group.count, .size_class = choice::size_class(most)};
}

void describe(const plan::Plan& plan, const plan::Batch& batch, const ProgramTable& programs,
              BatchDescription& description) {
  Describer{plan, batch, programs, description}.run();
}

}  // namespace vyre::runtime
