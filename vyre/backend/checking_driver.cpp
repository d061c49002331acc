#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <vyre/backend/decorators.hpp>
#include <vyre/base/check.hpp>

namespace vyre::backend {
namespace {

using Objects = std::set<const DriverObject*>;

/// The driver objects that a list uses.
Objects objects_in(const ListView& view, const Objects& live) {
  Objects named;
  const ListNames names = names_of(view.list);
  for (const BufferHandle buffer : names.buffers) {
    VYRE_CHECK(view.buffers.find(buffer) != nullptr, "a list names a buffer that is not in the table");
    named.insert(view.buffers.at(buffer).object.get());
  }
  for (const PipelineHandle pipeline : names.pipelines) {
    VYRE_CHECK(view.pipelines.find(pipeline) != nullptr, "a list names a pipeline that is not in the table");
    named.insert(view.pipelines.at(pipeline).object.get());
  }
  VYRE_CHECK(std::ranges::includes(live, named), "a list names an object that this driver does not have");
  return named;
}

/// Never holds its lock during a call of the inner driver, so that calls run as concurrently as without this driver.
class CheckingDriver final : public DeviceDriver, private ObjectObserver {
 public:
  explicit CheckingDriver(std::unique_ptr<DeviceDriver> inner)
      : inner_{std::move(inner)}, queues_(inner_->info().limits.queues) {}
  CheckingDriver(const CheckingDriver&) = delete;
  CheckingDriver& operator=(const CheckingDriver&) = delete;
  ~CheckingDriver() override {
    VYRE_CHECK(live_.empty(), "a driver goes while buffers or pipelines of it are left");
    // The inner driver may have kept released recordings to use them again. It destroys them now, and each tells this
    // driver of it.
    inner_.reset();
    VYRE_CHECK(recordings_.empty(), "a driver goes while recordings of it are left");
  }

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return inner_->info(); }

  [[nodiscard]] Result<std::unique_ptr<DriverBuffer>> allocate(const BufferDesc& desc) override {
    return watch(inner_->allocate(desc));
  }

  [[nodiscard]] Result<std::unique_ptr<DriverPipeline>> compile(const PipelineDesc& desc) override {
    return watch(inner_->compile(desc));
  }

  [[nodiscard]] Result<RecordingPtr> record(const ListView& view, Reuse reuse) override {
    Objects named;
    {
      const std::scoped_lock lock{mutex_};
      named = objects_in(view, live_);
    }
    Result<RecordingPtr> result = inner_->record(view, reuse);
    if (!result) return note(std::move(result));
    VYRE_CHECK(*result != nullptr, "a driver records nothing and calls it a success");
    (*result)->observer = this;
    const std::scoped_lock lock{mutex_};
    // A driver may give a recording again after it was released. This driver does not see releases, so a recording at a
    // known address counts as a new one.
    VYRE_CHECK(lost_ || !is_pending(**result), "a recording is used again while a launch of it is pending");
    recordings_[result->get()] = {.named = std::make_shared<const Objects>(std::move(named)), .reuse = reuse};
    return result;
  }

  [[nodiscard]] Result<void> launch(std::span<DriverRecording* const> recordings, Ticket ticket,
                                    std::span<const Ticket> after) override {
    begin_launch(recordings, ticket, after);
    Result<void> result = inner_->launch(recordings, ticket, after);
    const std::scoped_lock lock{mutex_};
    Queue& queue = queues_[ticket.queue];
    queue.launching = false;
    if (result) {
      queue.issued = ticket.value;
    } else {
      for (const DriverRecording* each : recordings) {
        queue.pending.pop_back();
        --recordings_.at(each).launches;
      }
    }
    lost_ = lost_ || is_lost(result);
    return result;
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    std::uint64_t before = 0;
    {
      const std::scoped_lock lock{mutex_};
      VYRE_CHECK(queue < queues_.size(), "the device has fewer queues");
      before = queues_[queue].done;
    }
    Result<std::uint64_t> result = inner_->completed(queue);
    if (!result) return note(std::move(result));
    const std::scoped_lock lock{mutex_};
    const Queue& state = queues_[queue];
    VYRE_CHECK(*result >= before, "a completed ticket falls");
    VYRE_CHECK(*result <= state.issued + (state.launching ? 1 : 0), "a completed ticket was never launched");
    reach(queue, *result);
    return result;
  }

  [[nodiscard]] Result<bool> wait(Ticket ticket, std::chrono::nanoseconds timeout) override {
    {
      const std::scoped_lock lock{mutex_};
      VYRE_CHECK(is_launched(ticket), "a wait for a ticket that was never launched");
    }
    Result<bool> result = inner_->wait(ticket, timeout);
    if (!result) return note(std::move(result));
    const std::scoped_lock lock{mutex_};
    if (*result) reach(ticket.queue, ticket.value);
    return result;
  }

  [[nodiscard]] std::uint64_t now_ns() noexcept override { return inner_->now_ns(); }

 private:
  struct Recording {
    std::shared_ptr<const Objects> named = {};
    Reuse reuse = Reuse::Once;
    std::uint64_t launches = 0;
  };
  struct Pending {
    std::uint64_t value = 0;
    const DriverObject* recording = nullptr;
    std::shared_ptr<const Objects> named = {};
  };
  struct Queue {
    std::uint64_t issued = 0;
    std::uint64_t done = 0;
    bool launching = false;
    std::deque<Pending> pending = {};  // The last one may still be inside the call of `launch`.
  };

  void on_destroy(const DriverObject& object) noexcept override {
    const std::scoped_lock lock{mutex_};
    VYRE_CHECK(lost_ || !is_pending(object), "an object is destroyed while a submission that uses it is pending");
    VYRE_CHECK(live_.erase(&object) + recordings_.erase(&object) == 1, "an object is destroyed that is not there");
  }

  template <typename Object>
  [[nodiscard]] Result<std::unique_ptr<Object>> watch(Result<std::unique_ptr<Object>> made) {
    if (!made) return note(std::move(made));
    VYRE_CHECK(*made != nullptr, "a driver makes nothing and calls it a success");
    (*made)->observer = this;
    const std::scoped_lock lock{mutex_};
    VYRE_CHECK(live_.insert(made->get()).second, "a driver gives the same object twice");
    return made;
  }

  void begin_launch(std::span<DriverRecording* const> recordings, Ticket ticket, std::span<const Ticket> after) {
    const std::scoped_lock lock{mutex_};
    VYRE_CHECK(!recordings.empty() && recordings.size() <= kMostTogether,
               "a launch of no recording, or of too many together");
    for (const DriverRecording* each : recordings) {
      const auto found = recordings_.find(each);
      VYRE_CHECK(found != recordings_.end(), "a launch of a recording that this driver does not have");
      VYRE_CHECK(found->second.reuse == Reuse::Many || found->second.launches == 0,
                 "a recording that was made for once is launched again");
    }
    VYRE_CHECK(ticket.queue < queues_.size(), "the device has fewer queues");
    Queue& queue = queues_[ticket.queue];
    VYRE_CHECK(!queue.launching, "two launches into one queue at once");
    VYRE_CHECK(ticket.value == queue.issued + 1, "a ticket is out of order");
    VYRE_CHECK(std::ranges::all_of(after, [&](Ticket other) { return is_launched(other); }),
               "a launch behind a ticket that was never launched");
    queue.launching = true;
    for (const DriverRecording* each : recordings) {
      Recording& recording = recordings_.at(each);
      queue.pending.push_back({.value = ticket.value, .recording = each, .named = recording.named});
      ++recording.launches;
    }
  }

  template <typename T>
  [[nodiscard]] static bool is_lost(const Result<T>& result) noexcept {
    return !result && result.error().code == ErrorCode::DeviceLost;
  }

  /// Passes a result on, and notes if it says that the device is lost: then nothing is pending any more.
  template <typename T>
  [[nodiscard]] Result<T> note(Result<T> result) {
    const std::scoped_lock lock{mutex_};
    lost_ = lost_ || is_lost(result);
    return result;
  }

  [[nodiscard]] bool is_launched(Ticket ticket) const noexcept {
    return ticket.queue < queues_.size() && ticket.value <= queues_[ticket.queue].issued;
  }

  [[nodiscard]] bool is_pending(const DriverObject& object) const noexcept {
    return std::ranges::any_of(queues_, [&](const Queue& queue) {
      return std::ranges::any_of(queue.pending, [&](const Pending& pending) {
        return pending.recording == &object || pending.named->contains(&object);
      });
    });
  }

  void reach(std::uint32_t queue, std::uint64_t value) {
    Queue& state = queues_[queue];
    state.done = std::max(state.done, value);
    while (!state.pending.empty() && state.pending.front().value <= state.done) state.pending.pop_front();
  }

  std::unique_ptr<DeviceDriver> inner_;
  std::mutex mutex_;
  Objects live_;  // The buffers and pipelines that exist.
  std::map<const DriverObject*, Recording> recordings_;
  std::vector<Queue> queues_;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<DeviceDriver> make_checking_driver(std::unique_ptr<DeviceDriver> inner) {
  return std::make_unique<CheckingDriver>(std::move(inner));
}

}  // namespace vyre::backend
