#include <vyre/runtime/session_state.hpp>

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

namespace vyre::runtime {
namespace {

std::uint64_t next_session_id() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Session::State::State(std::shared_ptr<backend::Device> opened, const SessionOptions& wanted)
    : id{next_session_id()},
      device{std::move(opened)},
      options{wanted},
      lowered(1),
      recordings{*device, {.recordings = wanted.max_recordings, .bytes = wanted.max_recording_bytes}},
      in_flight{*device} {
  tuner = wanted.tuner != nullptr ? wanted.tuner : Tuner::of(*device);
  report.device = device->info().name;
}

Session::State::~State() {
  // What is pending goes on by itself: the device keeps what it uses until it is done with it. Only reads must not
  // come any more, since their spans may go now.
  recordings.clear();
  for (const CaptureSlot& each : captures) {
    if (each.is_alive) std::ignore = device->free(each.recording);
  }
  captures.clear();
  programs.clear();
  for (const BufferSlot& each : buffers) {
    if (each.generation % 2 == 1) std::ignore = device->free(each.handle);
  }
  timer.free(*device);
  uploads.free(*device);
  readbacks.free(*device);
}

}  // namespace vyre::runtime
