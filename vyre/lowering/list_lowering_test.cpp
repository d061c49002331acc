#include <vyre/backend/list_lowering.hpp>

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>
#include <vyre/backend/make_pipeline.hpp>
#include <vyre/lowering/table_pool.hpp>

namespace vyre::lowering {
namespace {

using backend::BufferHandle;
using backend::CommandList;
using backend::Memory;
using backend::PipelineHandle;
using program::FormKind;

constexpr const char* kAdd = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Sum { uint sum; };
layout(push_constant) uniform Params { uint addend; };
void main() { sum += addend; })";

void add(const backends::fake::Invocation& at) {
  std::uint32_t sum = 0;
  std::uint32_t addend = 0;
  std::memcpy(&sum, at.bindings[0].data(), sizeof sum);
  std::memcpy(&addend, at.params.data(), sizeof addend);
  sum += addend;
  std::memcpy(at.bindings[0].data(), &sum, sizeof sum);
}

/// A fake device's driver, and the lowering of it.
struct Rig {
  explicit Rig(const backend::DeviceOptions& options = {})
      : with{backends::fake::open_fake({.kernels = {{"add", add}}}, options)},
        lowering{make_list_lowering(*with.driver, with.buffers)} {}

  PipelineHandle pipeline(FormKind form) {
    const auto program = program::Program::from_glsl(kAdd, {.name = "add"}).value();
    return with.pipelines.insert(make_pipeline(*with.driver, program, {.form = form}).value()).value();
  }
  BufferHandle zero() {
    const BufferHandle buffer = with.buffer(4);
    with.numbers<std::uint32_t>(buffer)[0] = 0;
    return buffer;
  }
  std::uint32_t value(BufferHandle buffer) { return with.numbers<std::uint32_t>(buffer)[0]; }
  [[nodiscard]] backend::ListView view(const CommandList& list) const {
    return {.list = list, .buffers = with.buffers, .pipelines = with.pipelines};
  }
  void run(backend::DriverRecording& commands) {
    ASSERT_TRUE(with.launch(commands, {.queue = 0, .value = ++launched}, {}));
    ASSERT_TRUE(with.driver->wait({.queue = 0, .value = launched}, std::chrono::seconds{1}).value());
  }

  backends::fake::DriverRig with;
  std::unique_ptr<backend::ListLowering> lowering;
  std::uint64_t launched = 0;
};

CommandList add_to(PipelineHandle pipeline, BufferHandle buffer, std::uint32_t addend, std::uint32_t times = 1) {
  CommandList list;
  for (std::uint32_t i = 0; i < times; ++i) {
    list.dispatch(pipeline, std::array{backend::BufferRange{.buffer = buffer}}, {1, 1, 1},
                  std::as_bytes(std::span{&addend, 1}));
    list.barrier();
  }
  return list;
}

TEST(ListLowering, AListRunsInAnyForm) {
  Rig rig;
  for (const FormKind form : {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain}) {
    const BufferHandle sum = rig.zero();
    const CommandList list = add_to(rig.pipeline(form), sum, 5, 3);
    const auto lowered = rig.lowering->record(rig.view(list), backend::Reuse::Once);
    ASSERT_TRUE(lowered) << to_string(lowered.error());
    rig.run(*lowered->commands);
    EXPECT_EQ(rig.value(sum), 15U) << to_string(form);
  }
  EXPECT_EQ(rig.lowering->buffers(), 1U) << "the tables of lists that are done are used again";
}

TEST(ListLowering, AnUpdateChangesTheRecordingWhenItIsCommitted) {
  for (const bool is_mapped : {true, false}) {
    Rig rig{{.map_device_memory = is_mapped}};
    const PipelineHandle pipeline = rig.pipeline(FormKind::Pointer);
    const BufferHandle first = rig.zero();
    const BufferHandle second = rig.zero();
    const CommandList before = add_to(pipeline, first, 1);
    const CommandList after = add_to(pipeline, second, 2);
    auto made = rig.lowering->record_updatable(rig.view(before), true).value();
    EXPECT_EQ(made.upload.commands == nullptr, is_mapped);
    if (made.upload.commands != nullptr) rig.run(*made.upload.commands);
    auto update = made.recording->prepare(rig.view(after)).value();
    EXPECT_EQ(made.recording->list(), before);
    rig.run(made.recording->commands());
    EXPECT_EQ(rig.value(first), 1U);
    rig.run(*update.upload.commands);
    EXPECT_EQ(made.recording->commit(after, std::move(update)), nullptr);
    EXPECT_EQ(made.recording->list(), after);
    rig.run(made.recording->commands());
    EXPECT_EQ(rig.value(first), 1U);
    EXPECT_EQ(rig.value(second), 2U);
  }
}

TEST(ListLowering, AnUpdateIsRefusedByWhatDiffers) {
  Rig rig;
  const PipelineHandle pointer = rig.pipeline(FormKind::Pointer);
  const PipelineHandle written = rig.pipeline(FormKind::Descriptor);
  const BufferHandle sum = rig.zero();
  const CommandList list = add_to(pointer, sum, 1);
  auto made = rig.lowering->record_updatable(rig.view(list), true).value();
  const auto refusal = [&](const CommandList& other) {
    const auto update = made.recording->prepare(rig.view(other));
    return update ? std::string{} : update.error().message;
  };
  EXPECT_EQ(refusal(add_to(pointer, sum, 1, 2)), "the list has 4 commands, the recording has 2");
  EXPECT_EQ(refusal(add_to(written, sum, 1)), "command 0 of the list runs another pipeline than the recording does");
  EXPECT_EQ(refusal(add_to(pointer, sum, 2)), "");
}

TEST(TablePool, KeepsWhatIsReleasedByMemoryAndSize) {
  Rig rig;
  TablePool pool{*rig.with.driver, rig.with.buffers};
  const auto address_of = [&](std::uint64_t bytes, Memory memory) { return pool.take(bytes, memory).value()->address; };
  const std::uint64_t first = address_of(100, Memory::Upload);
  EXPECT_EQ(address_of(200, Memory::Upload), first);
  EXPECT_NE(address_of(200, Memory::Device), first);
  EXPECT_NE(address_of(1 << 20, Memory::Upload), first);
  EXPECT_EQ(pool.blocks(), 3U);
  const TablePtr held = pool.take(100, Memory::Upload).value();
  EXPECT_NE(address_of(100, Memory::Upload), held->address);
  EXPECT_EQ(pool.blocks(), 4U);
}

TEST(TablePool, RefusesMoreThanABufferHolds) {
  Rig rig;
  TablePool pool{*rig.with.driver, rig.with.buffers};
  const auto taken = pool.take(rig.with.driver->info().limits.max_buffer_bytes + 1, Memory::Upload);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::OutOfMemory);
}

}  // namespace
}  // namespace vyre::lowering
