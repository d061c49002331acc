// The code of docs/api.md, task by task: each function does one and checks what came of it.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <vyre/report/interface_report.hpp>
#include <vyre/vyre.hpp>

namespace {

constexpr const char* kSaxpy = R"(#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kTimes = 1;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { float scale; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  for (uint time = 0; time < kTimes; ++time) y[i] += scale * x[i];
}
)";

constexpr std::uint32_t kCount = 1'000;
constexpr std::uint32_t kGroups = (kCount + 63) / 64;

/// Fails with the name of the task unless every value is `expected`.
vyre::Result<void> expect(std::string_view task, std::span<const float> values, float expected) {
  for (const float value : values) {
    if (value == expected) continue;
    return vyre::fail(vyre::ErrorCode::Internal, std::string{task} + ": " + std::to_string(value) + " where " +
                                                     std::to_string(expected) + " should be");
  }
  return {};
}

vyre::Result<void> expect(std::string_view task, bool holds) {
  if (holds) return {};
  return vyre::fail(vyre::ErrorCode::Internal, std::string{task} + ": it does not hold");
}

vyre::Result<void> devices() {
  const vyre::System system{vyre::backends::all()};
  VYRE_ASSIGN(const auto infos, system.devices());
  for (const auto& info : infos) std::printf("%s %s\n", info.backend.c_str(), info.name.c_str());
  VYRE_ASSIGN(const auto device, system.open());                               // the first there is
  VYRE_ASSIGN(const auto same, system.open({.name = infos.front().name}));     // one with this in its name
  VYRE_ASSIGN(const auto small, system.open({}, {.memory_budget = 1 << 20}));  // 1 MiB for all buffers together
  VYRE_ASSIGN(vyre::Session session, vyre::Session::open(device));
  VYRE_TRY(session.finish());
  return expect("devices", same->info() == device->info() && !small->allocate({.size = 2 << 20}));
}

vyre::Result<void> programs() {
  VYRE_ASSIGN(const auto saxpy, vyre::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  VYRE_ASSIGN(const auto again, vyre::Program::from_spirv(saxpy.words(), {.name = "saxpy"}));
  std::printf("%s", vyre::report::to_text(saxpy.interface()).c_str());  // bindings, parameters, workgroup
  return expect("programs", again.module_hash() == saxpy.module_hash());
}

vyre::Result<void> upload(vyre::Session& session) {
  const std::vector<float> numbers(kCount, 1.5F);
  VYRE_ASSIGN(const auto x, session.buffer<float>(numbers));  // a copy of the numbers
  VYRE_ASSIGN(const auto y, session.buffer<float>(kCount));   // zeros
  VYRE_TRY(session.write(y, numbers));                        // again, later, as often as you like
  VYRE_TRY(session.write(y.part(0, 4), {{1, 2, 3, 4}}));      // a part of it
  VYRE_TRY(session.fill(y.part(512, 128), 0));                // every element
  VYRE_TRY(session.copy(x.part(0, 256), y.part(512, 256)));   // on the device
  std::vector<float> part(256);
  VYRE_TRY(session.read(y.part(512, 256), part));
  VYRE_TRY(session.finish());
  VYRE_TRY(session.free(x));  // once the work that uses it is done; at the latest when the session ends
  return expect("upload", part, 1.5F);
}

vyre::Result<void> dispatch(vyre::Session& session, const vyre::Program& saxpy, const vyre::Buffer<float>& x,
                            const vyre::Buffer<float>& y) {
  // Bindings in the order of their slots, members of the push-constant block in order.
  VYRE_TRY(session.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(2.0F, kCount)}));

  // Both by name, in any order.
  VYRE_TRY(session.dispatch(
      saxpy, {{"Y", y}, {"X", x}},
      {.groups = {kGroups}, .params = vyre::params(vyre::param("count", kCount), vyre::param("scale", 2.0F))}));

  // The block as a structure, laid out as the kernel has it.
  struct Params {
    float scale;
    std::uint32_t count;
  };
  const Params block{.scale = 2.0F, .count = kCount};
  VYRE_TRY(session.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params_block(block)}));

  // With a value for the specialisation constant of id 0, ten times, one after another.
  const std::array values{vyre::SpecOverride{.spec_id = 0, .bits = 2}};
  VYRE_TRY(session.dispatch(
      saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(1.0F, kCount), .values = values, .repeat = 10}));

  // Many alike, as if one after another: all of them, or none if one is refused.
  const std::array views{x.view(), y.view()};
  const std::vector<vyre::DispatchItem> items(
      100, {.buffers = views, .groups = {kGroups}, .params = vyre::params(0.5F, kCount)});
  VYRE_TRY(session.dispatch_many(saxpy, items));

  std::vector<float> result(kCount);
  VYRE_TRY(session.read(y, result));
  VYRE_TRY(session.finish());
  return expect("dispatch", result, 3 * 2 + 10 * 2 + 50);
}

vyre::Result<void> read(vyre::Session& session, const vyre::Program& saxpy, const vyre::Buffer<float>& x,
                        const vyre::Buffer<float>& y) {
  const vyre::DispatchOptions options{.groups = {kGroups}, .params = vyre::params(1.0F, kCount)};
  std::vector<float> first(kCount);
  std::vector<float> second(kCount);
  VYRE_TRY(session.dispatch(saxpy, {x, y}, options));
  VYRE_TRY(session.read(y, first));
  VYRE_ASSIGN(const auto ticket, session.flush());  // starts what was said so far
  VYRE_TRY(session.dispatch(saxpy, {x, y}, options));
  VYRE_TRY(session.read(y, second));
  VYRE_TRY(session.wait(ticket));  // `first` is there now
  VYRE_TRY(session.finish());      // and `second` now
  VYRE_TRY(expect("read", first, 1));
  return expect("read", second, 2);
}

vyre::Result<void> prepared(vyre::Session& session, const vyre::Program& saxpy, const vyre::Buffer<float>& x,
                            const vyre::Buffer<float>& y) {
  VYRE_ASSIGN(const auto step,
              session.prepare(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(1.0F, kCount)}));
  for (int i = 0; i < 100; ++i) VYRE_TRY(session.enqueue(step));
  VYRE_TRY(session.enqueue(step, vyre::params(0.5F, kCount)));  // with other parameters
  const std::vector<vyre::Prepared> steps(100, step);
  VYRE_TRY(session.enqueue(steps));  // all in one call
  std::vector<float> result(kCount);
  VYRE_TRY(session.read(y, result));
  VYRE_TRY(session.finish());
  return expect("prepared", result, 200.5F);
}

vyre::Result<void> capture(vyre::Session& session, const vyre::Program& saxpy, const vyre::Buffer<float>& x,
                           const vyre::Buffer<float>& y) {
  VYRE_ASSIGN(const auto round, session.capture([&]() -> vyre::Result<void> {
    VYRE_TRY(session.fill(y, 0));
    return session.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(1.0F, kCount), .label = "add"});
  }));
  VYRE_TRY(session.replay(round));  // as it was captured
  const std::array other{vyre::CaptureParams{.label = "add", .params = vyre::params(3.0F, kCount)}};
  VYRE_TRY(session.replay(round, other));  // with other parameters where the label says so
  std::vector<float> result(kCount);
  VYRE_TRY(session.read(y, result));
  VYRE_TRY(session.finish());
  VYRE_TRY(expect("capture", result, 3));

  VYRE_ASSIGN(const auto z, session.buffer<float>(kCount));
  const std::array elsewhere{vyre::CaptureBuffer{.from = y, .to = z}};
  VYRE_TRY(session.replay(round, {}, elsewhere));  // with another buffer, at least as large, wherever `y` was used
  VYRE_TRY(session.read(z, result));
  VYRE_TRY(session.finish());
  VYRE_TRY(expect("capture", result, 1));

  std::vector<float> in(kCount);
  std::vector<float> out(kCount);
  VYRE_ASSIGN(const auto token, session.capture([&]() -> vyre::Result<void> {
    VYRE_TRY(session.write(y, in));  // each replay copies from `in`
    VYRE_TRY(session.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(1.0F, kCount)}));
    return session.read(y, out);  // and reads to `out`
  }));
  for (int i = 0; i < 3; ++i) {
    in.assign(kCount, static_cast<float>(i));
    VYRE_TRY(session.replay(token));
    VYRE_ASSIGN(const auto ticket, session.flush());
    VYRE_TRY(session.wait(ticket));  // `out` has the bytes now
  }
  VYRE_TRY(expect("capture", out, 3));

  const std::array memory{vyre::CaptureBytes{.view = y, .to = std::as_writable_bytes(std::span{result})}};
  VYRE_TRY(session.replay(token, {}, {}, memory));  // reads to `result` instead
  VYRE_TRY(session.finish());
  return expect("capture", result, 3);
}

vyre::Result<void> errors(vyre::Session& session, const vyre::Program& saxpy, const vyre::Buffer<float>& x) {
  const auto refused = session.dispatch(saxpy, {x}, {.groups = {kGroups}, .params = vyre::params(1.0F, kCount)});
  if (!refused) {
    const vyre::Error& error = refused.error();
    std::printf("%s\n", to_string(error).c_str());  // error[invalid-argument]: … and the lines "while …"
    switch (error.retry) {
      case vyre::Retry::Never: break;       // mend the call or the kernel
      case vyre::Retry::SameDevice: break;  // free something, or wait, then again
      case vyre::Retry::NewDevice: break;   // open a device again, then again
      case vyre::Retry::Recompile: break;   // throw stored data away, then again
    }
  }
  VYRE_TRY(expect("errors", !refused && refused.error().code == vyre::ErrorCode::InvalidArgument));

  const auto broken = vyre::Program::from_glsl("#version 450\nvoid main() { undeclared = 1; }", {.name = "broken"});
  VYRE_TRY(expect("errors", !broken && broken.error().code == vyre::ErrorCode::CompileFailed));

  const auto missing = vyre::Program::from_file("there-is-no-such-file.comp");
  VYRE_TRY(expect("errors", !missing && missing.error().code == vyre::ErrorCode::InvalidArgument));

  // Exceptions only where they are asked for: `value` throws.
  try {
    const vyre::Program kernel = vyre::Program::from_file("there-is-no-such-file.comp").value();
    return expect(kernel.name(), false);
  } catch (const std::bad_expected_access<vyre::Error>& failure) {
    std::printf("%s\n", to_string(failure.error()).c_str());
  }
  return {};
}

vyre::Result<void> reports(vyre::Session& session, const vyre::Program& saxpy, const vyre::Buffer<float>& x,
                           const vyre::Buffer<float>& y) {
  for (int i = 0; i < 10; ++i) {
    VYRE_TRY(session.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(1.0F, kCount)}));
    VYRE_TRY(session.flush());
  }
  VYRE_ASSIGN(const vyre::RunReport report, session.finish());
  std::printf("%llu dispatches in %llu submissions\n%s", static_cast<unsigned long long>(report.dispatches),
              static_cast<unsigned long long>(report.submissions), to_text(report).c_str());
  std::printf("%s\n", to_json(report).c_str());
  return expect("reports", report.dispatches == 10);
}

/// Adds in a session of its own: what a thread runs.
vyre::Result<std::vector<float>> add(const std::shared_ptr<vyre::Device>& device, const vyre::Program& saxpy) {
  VYRE_ASSIGN(vyre::Session session, vyre::Session::open(device));
  VYRE_ASSIGN(const auto x, session.buffer<float>(std::vector<float>(kCount, 1.0F)));
  VYRE_ASSIGN(const auto y, session.buffer<float>(kCount));
  VYRE_TRY(session.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(2.0F, kCount)}));
  std::vector<float> result(kCount);
  VYRE_TRY(session.read(y, result));
  VYRE_TRY(session.finish());
  return result;
}

vyre::Result<void> threads(const std::shared_ptr<vyre::Device>& device, const vyre::Program& saxpy) {
  // One session for each thread; the device and the program are shared.
  std::vector<vyre::Result<std::vector<float>>> results(4);
  {
    std::vector<std::jthread> workers;
    for (auto& result : results) workers.emplace_back([&] { result = add(device, saxpy); });
  }
  for (const auto& result : results) {
    if (!result) return std::unexpected{result.error()};
    VYRE_TRY(expect("threads", *result, 2));
  }
  return {};
}

vyre::Result<void> every_device(const vyre::System& system, const vyre::Program& saxpy) {
  VYRE_ASSIGN(const auto infos, system.devices());
  for (const auto& info : infos) {
    VYRE_ASSIGN(const auto device, system.open({.backend = info.backend, .name = info.name}));
    VYRE_ASSIGN(const auto result, add(device, saxpy));
    VYRE_TRY(expect(info.name, result, 2));
  }
  return {};
}

vyre::Result<void> modes(const std::shared_ptr<vyre::Device>& device, const vyre::Program& saxpy) {
  VYRE_ASSIGN(vyre::Session session,
              vyre::Session::open(device, {.mode = vyre::LaunchMode::Plain, .watchdog = std::chrono::seconds{10}}));
  VYRE_ASSIGN(const auto report, session.finish());
  VYRE_TRY(expect("modes", report.dispatches == 0));

  for (const vyre::LaunchMode mode : vyre::runtime::kAllLaunchModes) {
    VYRE_ASSIGN(vyre::Session each, vyre::Session::open(device, {.mode = mode, .max_batch = 64, .time_device = true}));
    VYRE_ASSIGN(const auto x, each.buffer<float>(std::vector<float>(kCount, 1.0F)));
    std::vector<std::vector<float>> results(100, std::vector<float>(kCount));
    for (auto& result : results) {
      VYRE_ASSIGN(const auto y, each.buffer<float>(kCount));
      VYRE_TRY(each.dispatch(saxpy, {x, y}, {.groups = {kGroups}, .params = vyre::params(2.0F, kCount)}));
      VYRE_TRY(each.read(y, result));
    }
    VYRE_TRY(each.finish());
    for (const auto& result : results) VYRE_TRY(expect(to_string(mode), result, 2));
  }
  return {};
}

vyre::Result<void> keep(const std::filesystem::path& folder) {
  const vyre::System system{vyre::backends::all(), vyre::Store::open({.folder = folder})};
  VYRE_ASSIGN(const auto device, system.open());  // calibrated, if an earlier process had the time for it
  VYRE_ASSIGN(const auto saxpy, vyre::Program::from_glsl(kSaxpy, {.name = "saxpy", .cache = system.spirv_cache()}));
  return expect("keep", device != nullptr && saxpy.name() == "saxpy");
}

vyre::Result<void> all_tasks() {
  VYRE_TRY(devices());
  VYRE_TRY(programs());
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / std::to_string(std::random_device{}());
  VYRE_TRY(keep(folder));
  std::filesystem::remove_all(folder);
  const vyre::System system{vyre::backends::all()};
  VYRE_ASSIGN(const auto device, system.open());
  VYRE_ASSIGN(vyre::Session session, vyre::Session::open(device));
  VYRE_ASSIGN(const auto saxpy, vyre::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  VYRE_ASSIGN(const auto x, session.buffer<float>(std::vector<float>(kCount, 1.0F)));
  VYRE_TRY(upload(session));
  for (const auto task : {&dispatch, &read, &prepared, &capture, &reports}) {
    VYRE_ASSIGN(const auto y, session.buffer<float>(kCount));
    VYRE_TRY(task(session, saxpy, x, y));
    VYRE_TRY(session.free(y));
  }
  VYRE_TRY(errors(session, saxpy, x));
  VYRE_TRY(threads(device, saxpy));
  VYRE_TRY(every_device(system, saxpy));
  return modes(device, saxpy);
}

}  // namespace

int main() {
  if (const auto done = all_tasks(); !done) {
    std::fprintf(stderr, "%s\n", to_string(done.error()).c_str());
    return 1;
  }
}
