// The smallest backend there is: a device in host memory that copies and fills. For docs/backends.md.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <vyre/backend/decorators.hpp>
#include <vyre/backend/driver.hpp>
#include <vyre/backend/registry.hpp>
#include <vyre/vyre.hpp>

namespace {

using namespace vyre::backend;
using vyre::ErrorCode;
using vyre::Result;

struct HostBuffer : DriverBuffer {
  std::vector<std::byte> bytes;
};

struct HostRecording : DriverRecording {
  struct Work {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;  // Null for a fill.
    std::uint64_t size = 0;
    std::uint32_t pattern = 0;
  };
  std::vector<Work> work;
};

class HostDriver : public DeviceDriver {
 public:
  explicit HostDriver(DeviceInfo info) : info_{std::move(info)} {}

  const DeviceInfo& info() const noexcept override { return info_; }

  Result<std::unique_ptr<DriverBuffer>> allocate(const BufferDesc& desc) override {
    auto buffer = std::make_unique<HostBuffer>();
    buffer->bytes.resize(desc.size);
    buffer->mapped = buffer->bytes.data();
    return buffer;
  }

  Result<std::unique_ptr<DriverPipeline>> compile(const PipelineDesc& desc) override {
    return vyre::fail(ErrorCode::Unsupported, "the host device cannot run program '" + desc.program.name() + "'");
  }

  Result<RecordingPtr> record(const ListView& view, Reuse /*reuse*/) override {
    auto recording = std::make_unique<HostRecording>();
    for (const Command& command : view.list.commands()) {
      if (const auto* copy = std::get_if<Copy>(&command)) {
        recording->work.push_back({.to = bytes(view, copy->to) + copy->to_offset,
                                   .from = bytes(view, copy->from) + copy->from_offset,
                                   .size = copy->size});
      } else if (const auto* fill = std::get_if<Fill>(&command)) {
        recording->work.push_back({.to = bytes(view, fill->range.buffer) + fill->range.offset,
                                   .size = view.size(fill->range),
                                   .pattern = fill->pattern});
      }
      // Work is done in the order of the list, so that barriers are kept by themselves.
    }
    return RecordingPtr{recording.release()};
  }

  Result<void> launch(std::span<DriverRecording* const> recordings, Ticket ticket,
                      std::span<const Ticket> /*after*/) override {
    for (DriverRecording* const each : recordings) run(static_cast<const HostRecording&>(*each));
    const std::lock_guard lock{mutex_};
    completed_ = ticket.value;
    return {};
  }

  Result<std::uint64_t> completed(std::uint32_t /*queue*/) override {
    const std::lock_guard lock{mutex_};
    return completed_;
  }

  Result<bool> wait(Ticket ticket, std::chrono::nanoseconds /*timeout*/) override {
    const std::lock_guard lock{mutex_};
    return completed_ >= ticket.value;
  }

  std::uint64_t now_ns() noexcept override {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds{1});
  }

 private:
  static void run(const HostRecording& recording) {
    for (const HostRecording::Work& work : recording.work) {
      if (work.from != nullptr) {
        std::memcpy(work.to, work.from, work.size);
        continue;
      }
      for (std::uint64_t i = 0; i < work.size; ++i) {
        work.to[i] = static_cast<std::byte>(work.pattern >> (i % 4 * 8));
      }
    }
  }
  static std::byte* bytes(const ListView& view, BufferHandle buffer) {
    return view.buffer<HostBuffer>(buffer).bytes.data();
  }

  DeviceInfo info_;
  std::mutex mutex_;
  std::uint64_t completed_ = 0;
};

class HostBackend : public Backend {
 public:
  std::string_view name() const noexcept override { return "host"; }

  Result<std::vector<DeviceInfo>> devices() override {
    constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
    return std::vector{DeviceInfo{.backend = "host",
                                  .name = "host memory",
                                  .type = DeviceType::Cpu,
                                  .signature = "host 1",
                                  .limits = {.memory_bytes = kBytes, .max_buffer_bytes = kBytes, .queues = 1},
                                  .maps_device_memory = true}};
  }

  Result<std::unique_ptr<DeviceDriver>> open(const DeviceInfo& info, const DeviceOptions& /*options*/) override {
    // Ends the process where the driver, or the device above it, breaks the contract.
    return make_checking_driver(std::make_unique<HostDriver>(info));
  }
};

Result<void> run() {
  Registry registry = vyre::backends::all();
  VYRE_TRY(registry.add(std::make_unique<HostBackend>()));
  const vyre::System system{std::move(registry)};
  VYRE_ASSIGN(const auto device, system.open({.backend = "host"}));
  VYRE_ASSIGN(vyre::Session session, vyre::Session::open(device));

  const std::vector<std::uint32_t> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  VYRE_ASSIGN(const auto from, session.buffer<std::uint32_t>(numbers));
  VYRE_ASSIGN(const auto to, session.buffer<std::uint32_t>(8));
  VYRE_TRY(session.copy(from, to));
  VYRE_TRY(session.fill(to.part(0, 2), 9));
  std::vector<std::uint32_t> result(8);
  VYRE_TRY(session.read(to, result));
  VYRE_ASSIGN(const vyre::RunReport report, session.finish());
  std::printf("%s", to_text(report).c_str());
  if (result != std::vector<std::uint32_t>{9, 9, 3, 4, 5, 6, 7, 8}) {
    return vyre::fail(ErrorCode::Internal, "the host device copies wrongly");
  }
  return {};
}

}  // namespace

int main() {
  if (const auto done = run(); !done) {
    std::fprintf(stderr, "%s\n", to_string(done.error()).c_str());
    return 1;
  }
}
