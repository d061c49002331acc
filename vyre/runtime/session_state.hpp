#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <vyre/lowering/lower_plan.hpp>
#include <vyre/plan/batch.hpp>
#include <vyre/plan/planner.hpp>
#include <vyre/report/audit_log.hpp>
#include <vyre/runtime/compiled_program.hpp>
#include <vyre/runtime/device_timer.hpp>
#include <vyre/runtime/in_flight.hpp>
#include <vyre/runtime/recording_cache.hpp>
#include <vyre/runtime/session.hpp>
#include <vyre/runtime/staging.hpp>
#include <vyre/runtime/stopwatch.hpp>
#include <vyre/runtime/tuner.hpp>

namespace vyre::runtime {

using plan::Batch;
using plan::hash_dispatch;
using plan::mix;
using plan::Plan;
using plan::PlanCounts;
using plan::Planner;

/// What a session holds. Batches are numbered from 1; `batch` is the number of the one that is being gathered.
struct Session::State {
  /// Ranges of a buffer that are remembered of a batch; beyond, all of it counts as used.
  static constexpr std::size_t kMaxUsed = 256;

  State(std::shared_ptr<backend::Device> opened, const SessionOptions& wanted);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  using Places = TimerPlaces;

  struct BufferSlot {
    backend::BufferHandle handle = {};
    std::uint32_t generation = 0;  // Odd while there is a buffer.
    std::uint64_t size = 0;
    std::byte* mapped = nullptr;
    std::uint64_t last_batch = 0;
    std::uint64_t batch_before = 0;                                  // The one that used it before that.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> used = {};  // Of the last batch: begin and end.
  };
  /// A dispatch that nothing is wrong with.
  struct CheckedDispatch {
    std::uint32_t program = 0;
    std::span<const backend::BufferRange> ranges = {};
    std::span<const std::uint32_t> buffers = {};  // Of each range.
    backend::Groups groups = {1, 1, 1};
    std::span<const std::byte> params = {};
    std::uint64_t hash = 0;
    std::uint32_t repeat = 1;
    std::string_view label = {};
  };
  struct PreparedSlot {
    bool is_alive = false;
    std::uint32_t program = 0;
    std::vector<backend::BufferRange> ranges = {};
    std::vector<std::uint32_t> buffers = {};
    backend::Groups groups = {1, 1, 1};
    std::vector<std::byte> params = {};
    std::uint64_t hash = 0;
    std::uint32_t repeat = 1;
    std::string label = {};

    [[nodiscard]] CheckedDispatch checked() const noexcept {
      return {.program = program,
              .ranges = ranges,
              .buffers = buffers,
              .groups = groups,
              .params = params,
              .hash = hash,
              .repeat = repeat,
              .label = label};
    }
  };
  struct CapturedProgram {
    std::uint32_t program = 0;
    std::uint64_t dispatches = 0;
    std::uint64_t too_long = 0;  // Of those, the ones that use the other pipeline,
    std::uint64_t cut = 0;       // and those that run as written.
  };
  struct CaptureSlot {
    bool is_alive = false;
    backend::CommandList batch = {};        // As it was asked for.
    std::vector<std::uint32_t> waves = {};  // Of each of those.
    backend::CommandList planned = {};
    std::vector<std::pair<std::string, std::uint32_t>> labels = {};  // Label to program, of each dispatch of `planned`.
    std::vector<std::uint32_t> buffers = {};
    std::vector<CapturedProgram> programs = {};
    PlanCounts plan = {};
    backend::RecordingHandle recording = {};
    Places places = {};
    bool is_changed = false;  // Whether the tables of the recording are of other buffers or parameters.
    std::uint64_t copies = 0;
    std::uint64_t fills = 0;
  };
  /// What batches took that were awaited together.
  struct Sample {
    UsedWay used = {};
    double ns = 0;
    bool is_undisturbed = false;
  };
  /// Groups of a shape that are alike, as the tuner knows them, and their program here.
  struct ShapeKind {
    std::uint32_t program = 0;
    std::uint32_t count = 0;
    std::uint32_t size_class = 0;

    friend bool operator==(const ShapeKind&, const ShapeKind&) = default;
  };
  /// What is known here of batches of a shape, and what was decided for the last of them.
  struct KnownShape {
    std::vector<ShapeKind> kinds = {};
    TunedChoice chosen = {};
    std::vector<policy::AuditEvent> events = {};             // Of the policies, when that was decided,
    std::uint64_t hash = 0;                                  // for this batch,
    bool came_before = false;                                // which came before, or did not.
    std::uint32_t left = 0;                                  // For so many more it holds,
    std::uint32_t unasked = 0;                               // and did for so many.
    std::uint64_t batches = 0;                               // All that came.
    bool has_news = false;                                   // Whether something was learned since.
    std::vector<Sample> samples = {};                        // Of those.
    std::shared_ptr<const report::ShapeReport> report = {};  // As of then.
  };
  /// A batch that came, by its hash.
  struct SeenBatch {
    std::uint64_t hash = 0;
    std::uint64_t shape = 0;  // Where the launch mode is chosen.
    std::uint32_t times = 0;
  };
  /// A read whose bytes are not with the host yet.
  struct PendingRead {
    std::span<std::byte> to = {};
    std::uint32_t buffer = 0;         // Of a direct read.
    std::uint64_t offset = 0;         // Of a direct read.
    const std::byte* from = nullptr;  // Of a staged one.
    std::uint64_t batch = 0;
  };

  // Checks.
  [[nodiscard]] Result<BufferSlot*> find(const BufferView& view);
  [[nodiscard]] Result<PreparedSlot*> find(Prepared name);
  [[nodiscard]] Result<std::uint32_t> find_program(const program::Program& program,
                                                   std::span<const program::spirv::SpecOverride> values);
  /// The variant of a program for the buffers that were bound, some of which overlap.
  [[nodiscard]] Result<std::uint32_t> find_in_place(std::uint32_t program);
  /// The variant of a program whose bindings `overlapping` are declared `Aliased`, by slot.
  [[nodiscard]] Result<std::uint32_t> find_aliased(std::uint32_t program, std::vector<bool> overlapping);
  /// The program that was not used for longest, of those that nothing needs.
  [[nodiscard]] std::optional<std::uint32_t> oldest_program() const;
  /// The buffer of a view that can be bound, or nothing.
  [[nodiscard]] const BufferSlot* find_bindable(const ArgumentSlot& slot, const BufferView& view) const noexcept {
    if (view.session != id || view.index >= buffers.size()) return nullptr;
    const BufferSlot& buffer = buffers[view.index];
    const bool is_fine = buffer.generation == view.generation && slot.allows(view.offset, view.size) &&
                         view.offset <= buffer.size && view.size <= buffer.size - view.offset;
    return is_fine ? &buffer : nullptr;
  }
  /// Why a view cannot be bound.
  [[nodiscard]] std::unexpected<Error> cannot_bind(const ArgumentSlot& slot, const BufferView& view);
  /// Adds a view to `ranges` and `touched`.
  [[nodiscard]] Result<void> bind(const CompiledProgram& program, std::size_t index, const BufferView& view);
  [[nodiscard]] Result<void> bind_all(const CompiledProgram& program, std::span<const Argument> arguments);
  /// Checks a dispatch, and lays its parameters out. Notes in `overlapping` which slots are given overlapping buffers.
  [[nodiscard]] Result<void> check_item(const CompiledProgram& program, const DispatchItem& item, std::byte* params);
  /// Checks dispatches, and lays their parameters out into `item_params`. Gives the program that they run: the one that
  /// is asked for, or a variant for overlapping buffers.
  [[nodiscard]] Result<std::uint32_t> check_items(std::uint32_t program, std::span<const DispatchItem> items);
  [[nodiscard]] static Result<void> check_overlaps(const CompiledProgram& program,
                                                   std::span<const backend::BufferRange> given);
  /// Whether a variant can be given a view that its program can: its uniform blocks have become storage buffers.
  [[nodiscard]] Result<void> check_in_place(const ArgumentSlot& slot, std::uint32_t buffer, std::uint64_t offset,
                                            std::uint64_t size) const;
  /// What it gives points into this, until the next call.
  [[nodiscard]] Result<CheckedDispatch> check_dispatch(const program::Program& program,
                                                       std::span<const Argument> arguments,
                                                       const DispatchOptions& given);

  // Gathering.
  [[nodiscard]] Result<BufferView> allocate(std::uint64_t size);
  /// `InvalidArgument` where a capture would have more operations than a list may have.
  [[nodiscard]] Result<void> check_capture(std::uint64_t more) const;
  [[nodiscard]] Result<void> add_dispatch(const CheckedDispatch& dispatch);
  /// Whether these dispatches are the whole batch before this one, and nothing else is gathered yet. Then nothing is
  /// wrong with them, either: all that was checked is the same. Their buffers are `touched`, each once or more.
  [[nodiscard]] bool is_previous(std::uint32_t program, std::span<const DispatchItem> items);
  /// Takes the batch before this one again, which is so many dispatches of a program on buffers that were `touched`.
  [[nodiscard]] Result<void> add_previous(std::uint32_t program, std::size_t count);
  /// Adds dispatches that were checked, whose parameters are in `item_params`.
  [[nodiscard]] Result<void> add_many(std::uint32_t program, std::span<const DispatchItem> items);
  [[nodiscard]] Result<void> add_copy(const backend::Copy& copy);
  [[nodiscard]] Result<void> add_fill(BufferSlot& slot, const BufferView& view, std::uint32_t pattern);
  /// Called before something writes to a range: a read that was put off is made a copy, so that it sees what was there.
  [[nodiscard]] Result<void> before_write(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Result<void> stage_read(std::size_t index);
  /// Makes copies of all reads that were put off.
  [[nodiscard]] Result<void> stage_reads();
  [[nodiscard]] Result<void> end_operation();
  /// The batch that is being gathered uses a range of a buffer.
  void note_use(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
    BufferSlot& slot = buffers[buffer];
    if (slot.last_batch != batch) {
      slot.batch_before = slot.last_batch;
      slot.last_batch = batch;
      slot.used.clear();
    }
    const std::pair range{offset, offset + size};
    if (slot.used.size() < kMaxUsed && (slot.used.empty() || slot.used.back() != range)) slot.used.push_back(range);
  }
  /// Whether the host may write to a range now: nothing that is gathered or pending uses it.
  [[nodiscard]] Result<bool> is_unused(const BufferSlot& slot, std::uint64_t offset, std::uint64_t size);

  // Launching.
  [[nodiscard]] Result<void> flush_batch();
  [[nodiscard]] Result<void> launch_batch();
  [[nodiscard]] Result<void> launch_plain(std::string_view reason);
  /// Launches what is planned as one list that serves all batches of its shape.
  [[nodiscard]] Result<void> launch_through_table(const PlanCounts& plan, std::string_view reason);
  /// Launches what is planned.
  [[nodiscard]] Result<void> launch_anew(const PlanCounts& plan, const Places& places, std::string_view reason);
  [[nodiscard]] Result<void> launch_kept(const KeptBatch& found, std::string_view reason);
  /// Calls `launch(arm, options)` for every arm, each on its queue, behind everything launched before.
  template <typename Launch>
  [[nodiscard]] Result<void> launch_arms(std::size_t count, const Places& places, Launch launch);
  /// Plans the gathered batch.
  struct Planned {
    const Plan* plan = nullptr;  ///< Until the next batch is planned.
    PlanCounts counts = {};
  };
  [[nodiscard]] Planned plan_batch(std::size_t max_arms);
  /// Makes the lists of a plan, one for each arm, in `lowered`; `places` says where the device's time is taken.
  /// `choose(group)` as `lowering::lower_arm` has it.
  template <typename Choose>
  void lower_batch(const Planned& planned, Places& places, Choose choose);
  /// The same with every dispatch as it was gathered.
  void lower_batch(const Planned& planned, Places& places);
  [[nodiscard]] DeviceTimer::Place take_place() {
    return options.time_device ? timer.take(*device) : DeviceTimer::Place{};
  }
  /// Where it is noted that the batch at hand came. The high bits of the hash depend on all that went into it.
  [[nodiscard]] SeenBatch& seen_place() noexcept {
    static_assert(std::tuple_size_v<decltype(seen)> == std::size_t{1} << 10);
    return seen[gathered.hash >> 54];
  }
  /// Keeps the batch at hand as `list`, by which it is found again.
  [[nodiscard]] Result<KeptBatch*> keep_batch(const PlanCounts& plan, Places places, std::uint64_t hash,
                                              const backend::CommandList& list, choice::Way way);
  [[nodiscard]] std::size_t max_arms() const noexcept {
    return std::min<std::size_t>(device->info().limits.queues, kMaxArms);
  }
  [[nodiscard]] auto writes_of() const {
    return [this](backend::PipelineHandle pipeline) -> const std::vector<bool>& {
      return programs[program_of[pipeline.index]].writes;
    };
  }
  void note_launch(const PlanCounts& plan, std::uint64_t report::ProgramReport::* how, std::string_view reason);
  void begin_batch() noexcept;

  // Choosing.
  /// Launches the batch in the way that is chosen for it.
  [[nodiscard]] Result<void> launch_chosen();
  /// After that failed: whether it is of a form that nothing was launched in, and will not be chosen again.
  [[nodiscard]] bool can_do_without(const Error& error);
  /// The same where nothing is known of the device: one list, kept when a batch comes for the second time.
  [[nodiscard]] Result<void> launch_by_rule();
  /// Sees to it that the device is measured, if it can be.
  [[nodiscard]] Result<bool> is_calibrated();
  /// The kind of a group of planned dispatches.
  [[nodiscard]] ShapeKind kind_of(const Plan& plan, const plan::Group& group) const;
  /// What the planned batch is, into `shape`, and its kinds of groups, into `shapes`.
  void describe(const Plan& plan);
  /// Finds a choice for the batch at hand, which is `shape` if it was planned: `known`. False if it must be described
  /// first. What was decided holds for some time, so that most batches need not ask the tuner.
  [[nodiscard]] bool choose(const SeenBatch& before);
  [[nodiscard]] bool ask(const SeenBatch& before);
  [[nodiscard]] bool ask_tuner(const SeenBatch& before);
  /// What was decided does not hold any longer.
  static void ask_again(KnownShape& of) noexcept {
    of.chosen.holds_for = 0;
    of.has_news = true;
  }
  /// Tells the tuner what batches took for which it was not asked.
  void tell(KnownShape& of);
  /// Compiles the form of the way that was chosen for the programs that use it. `Unsupported` if one has not got it.
  [[nodiscard]] Result<void> compile_form();
  /// Makes the lists of a plan with the form of the way that was chosen, for the groups that use it.
  void lower_in_form(const Planned& planned, Places& places);
  /// Launches the batch in the way that was chosen; it was planned unless `planned` is empty.
  [[nodiscard]] Result<void> launch_in_way(Planned planned);
  void note_pipeline(backend::PipelineHandle pipeline, std::uint32_t program) {
    if (pipeline.index >= program_of.size()) program_of.resize(pipeline.index + 1);
    program_of[pipeline.index] = program;
  }
  /// Notes what was spent since then, once, for the batch at hand.
  void note_setup(std::uint64_t begin);
  /// Whether batches were launched since the last wait.
  [[nodiscard]] bool is_in_span() const noexcept { return !in_flight.empty() || stopwatch.has_batches(); }
  /// Stops the stopwatch, and passes a measurement that ended with that on.
  void stop_lap(bool is_waited);
  /// Keeps a measurement with its shape, or tells the tuner at once.
  void note_time(const TimedBatches& timed);

  // Capturing.
  [[nodiscard]] Result<Capture> end_capture();
  [[nodiscard]] Result<void> replay_capture(CaptureSlot& capture, std::span<const CaptureParams> params,
                                            std::span<const CaptureBuffer> others);
  [[nodiscard]] Result<void> change_params(const CaptureSlot& capture, const CaptureParams& given);
  [[nodiscard]] Result<void> change_buffers(const CaptureSlot& capture, std::span<const CaptureBuffer> others);

  // Completing.
  /// Looks how far the device is, without waiting.
  [[nodiscard]] Result<void> refresh(bool is_just_launched = false);
  [[nodiscard]] Result<void> wait_for(std::uint64_t wanted);
  enum class Completion : std::uint8_t {
    Earlier,  ///< Nobody looked when it was.
    JustNow,  ///< The last of them was not complete a moment ago.
    Awaited,
  };
  void complete(std::uint64_t upto, Completion when);
  [[nodiscard]] Result<void> wait_until_idle(BufferSlot& slot);
  /// Waits for everything, and gives the memory of a staging area back.
  [[nodiscard]] Result<void> empty(Staging& staging);
  [[nodiscard]] std::unexpected<Error> broken(Error error);
  /// Gives the host what it reads from memory that it shares with the device, which is idle.
  void read_directly();
  /// What is known of batches of a shape, as of the last decision for them.
  [[nodiscard]] std::shared_ptr<const report::ShapeReport> report_of(std::uint64_t key);
  /// The report so far; the next one begins.
  RunReport end_run();

  std::atomic<std::thread::id> caller = {};  // The thread that is in a call of the session, or none.
  std::uint64_t id = 0;
  std::shared_ptr<backend::Device> device;
  SessionOptions options;
  DeviceTimer timer;

  std::vector<BufferSlot> buffers;
  std::vector<std::uint32_t> free_buffers;
  std::vector<CompiledProgram> programs;
  std::vector<std::uint32_t> program_of;  // By index of the pipeline's handle.
  std::uint32_t last_program = 0;
  std::vector<PreparedSlot> prepared;
  std::vector<CaptureSlot> captures;
  bool is_capturing = false;
  std::vector<std::string> captured_labels;

  Batch gathered;
  Batch previous;  // The batch before.
  std::uint64_t batch = 1;
  std::uint64_t copies_in_batch = 0;
  std::uint64_t fills_in_batch = 0;
  Planner planner;
  std::optional<std::uint64_t> planning_ns;   // Of the plan at hand, if that was timed.
  std::vector<backend::CommandList> lowered;  // By arm; never empty.
  backend::CommandList single;
  RecordingCache recordings;
  std::array<SeenBatch, 1024> seen = {};  // Each at its place, see `seen_place`.

  InFlight in_flight;
  std::vector<PendingRead> reads;
  Staging uploads{backend::Memory::Upload};
  Staging readbacks{backend::Memory::Readback};

  // Choosing.
  std::shared_ptr<Tuner> tuner;
  bool is_measurable = true;         // Whether the device can be calibrated.
  choice::BatchShape shape;          // Of the batch at hand, if it was described.
  std::vector<ShapeKind> described;  // Its kinds.
  std::unordered_map<std::uint64_t, KnownShape> shapes;
  KnownShape* known = nullptr;  // Of the batch at hand, when it was chosen for.
  std::vector<choice::ProgramForms> kind_forms;
  std::uint64_t chosen_shape = 0;
  std::vector<std::uint64_t> run_shapes;  // That were chosen for in this run, the first of them.
  report::PredictionErrors errors;        // As the tuner said last.
  bool are_errors_old = true;
  Stopwatch stopwatch;
  std::optional<UsedWay> launching;  // Of the batch at hand, if it was chosen for.
  bool is_first_launch = false;      // Of a program of that batch.

  report::AuditLog log;
  RunReport report;
  std::optional<std::uint64_t> begin_ns;  // When the first batch of the run was launched.
  std::optional<Error> failure;

  // Of the call at hand.
  std::vector<backend::BufferRange> ranges;
  std::vector<std::uint32_t> touched;
  std::vector<bool> overlapping;  // By slot: whether its buffer overlaps another, and one of them is written.
  std::vector<std::byte> item_params;
  std::array<std::byte, Params::kMaxBytes> param_room = {};
};

template <typename Choose>
void Session::State::lower_batch(const Planned& planned, Places& places, Choose choose) {
  const std::uint64_t begin = planning_ns ? device->now_ns() : 0;
  const std::span<const plan::Arm> arms = planned.plan->arms;
  if (lowered.size() < arms.size()) lowered.resize(arms.size());
  // A batch of nothing, as a capture may be, has no arms and one list.
  for (std::size_t i = 0; i < planned.counts.arms; ++i) {
    lowered[i].clear();
    places[i] = take_place();
    places[i].begin(lowered[i]);
    if (i < arms.size()) lowering::lower_arm(*planned.plan, arms[i], gathered.list, lowered[i], choose);
    places[i].end(lowered[i]);
  }
  if (!planning_ns) return;
  const std::uint64_t taken = *planning_ns + (device->now_ns() - begin);
  tuner->note_planning(static_cast<double>(taken), planned.plan->operations.size());
  planning_ns.reset();
}

template <typename Launch>
Result<void> Session::State::launch_arms(std::size_t count, const Places& places, Launch launch) {
  return in_flight.launch({.batch = batch, .used = launching, .is_first_launch = is_first_launch}, count, places,
                          options.watchdog, launch);
}

}  // namespace vyre::runtime
