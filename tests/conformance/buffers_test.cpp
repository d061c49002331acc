#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tests/conformance/conformance.hpp"
#include "tests/kernels/data.hpp"

// Buffers: what is written comes back, whatever the size, the memory and the way; memory comes back too.

namespace vyre::tests {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

constexpr std::array kMemories = {Memory::Device, Memory::Upload, Memory::Readback};

/// Writes a buffer in two uneven parts, and reads it back in two others.
void expect_round_trip(Device& device, BufferHandle buffer, std::size_t size, std::uint32_t seed) {
  const std::vector<std::byte> data = random_bytes(size, seed);
  const std::size_t third = size / 3;
  must(device.write(buffer, 0, std::span{data}.first(third)));
  must(device.write(buffer, third, std::span{data}.subspan(third)));
  std::vector<std::byte> back(size);
  const std::size_t half = size / 2;
  must(device.read(buffer, half, std::span{back}.subspan(half)));
  must(device.read(buffer, 0, std::span{back}.first(half)));
  EXPECT_TRUE(back == data);
}

void expect_every_size(Device& device) {
  for (const std::size_t size :
       std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 4095, 4097, 65'535, 65'536,
                                          1'000'003, 4'194'304, 4'194'305, 9'000'001}) {
    for (const Memory memory : kMemories) {
      SCOPED_TRACE(testing::Message() << size << " bytes in memory " << static_cast<int>(memory));
      const BufferHandle buffer = must(device.allocate({.size = size, .memory = memory}));
      expect_round_trip(device, buffer, size, static_cast<std::uint32_t>(size));
      must(device.free(buffer));
    }
  }
}

/// Writes and reads 256 MiB piece by piece, so that the host needs little.
void expect_large_round_trip(Device& device) {
  const std::uint64_t size = 256 * kMiB;
  if (size > device.info().limits.max_buffer_bytes || size > device.info().limits.memory_bytes) {
    EXPECT_TRUE(!device.allocate({.size = size}));
    return;
  }
  const BufferHandle buffer = must(device.allocate({.size = size}));
  const std::size_t piece = 16 * kMiB;
  std::vector<std::byte> data = random_bytes(piece, 256);
  const auto mark = [&](std::uint64_t offset) { std::memcpy(data.data(), &offset, sizeof(offset)); };
  for (std::uint64_t offset = 0; offset < size; offset += piece) {
    mark(offset);
    must(device.write(buffer, offset, data));
  }
  std::vector<std::byte> back(piece);
  for (std::uint64_t offset = 0; offset < size; offset += piece) {
    mark(offset);
    must(device.read(buffer, offset, back));
    EXPECT_TRUE(back == data) << offset;
  }
  must(device.free(buffer));
}

TEST_P(Conformance, BuffersOfEverySizeKeepTheirBytes) { expect_every_size(device()); }

TEST_P(Conformance, BuffersOfEverySizeKeepTheirBytesThroughStaging) {
  reopen({.map_device_memory = false});
  expect_every_size(device());
}

TEST_P(Conformance, ALargeBufferKeepsItsBytes) {
  expect_large_round_trip(device());
  reopen({.map_device_memory = false});
  expect_large_round_trip(device());
}

TEST_P(Conformance, MappedMemoryIsSharedWithTheDevice) {
  const std::vector<std::uint32_t> before = kernels::words(100, 1);
  const std::vector<std::uint32_t> params = {5};
  for (const Memory memory : kMemories) {
    SCOPED_TRACE(static_cast<int>(memory));
    const BufferHandle buffer = allocate(400, memory);
    const auto mapped = device().map(buffer);
    if (memory == Memory::Device && !device().info().maps_device_memory) {
      EXPECT_TRUE(is_refused(mapped, ErrorCode::Unsupported, {device().info().name}));
      continue;
    }
    must(mapped);
    ASSERT_EQ(mapped->size(), 400);
    std::ranges::copy(bytes_of(before), mapped->begin());
    std::vector<std::uint32_t> expected = before;
    EXPECT_EQ(words(buffer, 100), expected);
    CommandList list;
    list.dispatch(compile("step"), std::array{BufferRange{.buffer = buffer}}, {2, 1, 1}, bytes_of(params));
    run(list);
    for (std::uint32_t& value : expected) value = stepped(value, 5);
    EXPECT_TRUE(std::ranges::equal(*mapped, bytes_of(expected)));
    EXPECT_EQ(must(device().map(buffer)).data(), mapped->data());
  }
}

TEST_P(Conformance, UnmappedDeviceMemoryIsRefusedAndStaged) {
  reopen({.map_device_memory = false});
  const BufferHandle buffer = allocate(64);
  EXPECT_TRUE(is_refused(device().map(buffer), ErrorCode::Unsupported, {device().info().name}));
  must(device().map(allocate(64, Memory::Upload)));
  must(device().map(allocate(64, Memory::Readback)));
  CommandList list;
  list.dispatch(compile("indices"), std::array{BufferRange{.buffer = buffer}}, {1, 1, 1});
  run(list);
  EXPECT_THAT(words(buffer, 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(device().usage().buffers, 3);
  EXPECT_EQ(device().usage().bytes, 3 * 64);
}

TEST_P(Conformance, BytesOutsideABufferAreRefused) {
  for (const bool map : {true, false}) {
    SCOPED_TRACE(map);
    reopen({.map_device_memory = map});
    const BufferHandle buffer = allocate(100);
    std::vector<std::byte> bytes(50);
    must(device().write(buffer, 50, bytes));
    must(device().write(buffer, 100, {}));
    for (const std::uint64_t offset :
         {std::uint64_t{51}, std::uint64_t{100}, std::uint64_t{101}, ~std::uint64_t{0}, ~std::uint64_t{0} - 48}) {
      EXPECT_TRUE(
          is_refused(device().write(buffer, offset, bytes), ErrorCode::InvalidArgument, {text(offset), "50", "100"}));
      EXPECT_TRUE(
          is_refused(device().read(buffer, offset, bytes), ErrorCode::InvalidArgument, {text(offset), "50", "100"}));
    }
  }
}

TEST_P(Conformance, HandlesOfNothingAreRefused) {
  const BufferHandle buffer = allocate(64);
  must(device().free(buffer));
  const BufferHandle next = allocate(64);  // Where the freed one was, perhaps.
  EXPECT_NE(next, buffer);
  std::vector<std::byte> bytes(4);
  const BufferHandle beyond{.index = ~std::uint32_t{0}, .generation = 1};
  const BufferHandle other{.index = next.index, .generation = next.generation + 2};
  for (const BufferHandle handle : {buffer, BufferHandle{}, beyond, other}) {
    EXPECT_TRUE(is_refused(device().free(handle), ErrorCode::InvalidArgument, {"buffer"}));
    EXPECT_TRUE(is_refused(device().map(handle), ErrorCode::InvalidArgument, {"buffer"}));
    EXPECT_TRUE(is_refused(device().write(handle, 0, bytes), ErrorCode::InvalidArgument, {"buffer"}));
    EXPECT_TRUE(is_refused(device().read(handle, 0, bytes), ErrorCode::InvalidArgument, {"buffer"}));
    CommandList fill;
    fill.fill({.buffer = handle}, 0);
    EXPECT_TRUE(is_refused(device().submit(fill), ErrorCode::InvalidArgument, {"buffer"}));
    CommandList copy;
    copy.copy(next, 0, handle, 0, 4);
    EXPECT_TRUE(is_refused(device().record(copy), ErrorCode::InvalidArgument, {"buffer"}));
  }
  EXPECT_TRUE(is_refused(device().free(PipelineHandle{}), ErrorCode::InvalidArgument, {"pipeline"}));
  EXPECT_TRUE(is_refused(device().free(RecordingHandle{}), ErrorCode::InvalidArgument, {"recording"}));
  EXPECT_TRUE(is_refused(device().replay(RecordingHandle{}), ErrorCode::InvalidArgument, {"recording"}));
}

TEST_P(Conformance, MemoryOfFreedBuffersComesBack) {
  const std::uint64_t size = std::min(limits().memory_bytes / 4, 64 * kMiB);
  // More than there is in all.
  for (std::uint64_t total = 0; total < std::min(limits().memory_bytes + 2 * size, 8192 * kMiB); total += size) {
    const BufferHandle buffer = must(device().allocate({.size = size}));
    must(device().write(buffer, size - 4, bytes_of(std::vector<std::uint32_t>{1})));
    must(device().free(buffer));
  }
  EXPECT_EQ(device().usage(), DeviceUsage{});
  // Small ones in an order that leaves holes.
  std::vector<BufferHandle> buffers;
  for (std::uint64_t i = 0; i < 600; ++i) buffers.push_back(allocate(1 + i * 37 % 5000));
  for (std::size_t i = 0; i < buffers.size(); i += 2) must(device().free(buffers[i]));
  for (std::uint64_t i = 0; i < 300; ++i) allocate(1 + i * 91 % 9000);
  EXPECT_EQ(device().usage().buffers, 600);
}

TEST_P(Conformance, BuffersDoNotOverlap) {
  constexpr std::size_t kCount = 300;
  std::vector<BufferHandle> buffers;
  std::vector<std::vector<std::byte>> data;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    data.push_back(random_bytes(1 + i * 53 % 3000, i));
    buffers.push_back(allocate_with(data.back(), kMemories[i % 3]));
  }
  for (std::size_t i = 0; i < kCount; ++i) EXPECT_TRUE(contents<std::byte>(buffers[i], data[i].size()) == data[i]) << i;
}

TEST_P(Conformance, MemoryBeyondTheBudgetIsRefusedUntilSomeIsFreed) {
  reopen({.memory_budget = kMiB});
  EXPECT_EQ(limits().memory_bytes, kMiB);
  std::vector<BufferHandle> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(allocate(kMiB / 4));
  EXPECT_TRUE(is_refused(device().allocate({.size = 1}), ErrorCode::OutOfMemory, {"1 ", text(kMiB)}));
  EXPECT_TRUE(is_refused(device().allocate({.size = 2 * kMiB}), ErrorCode::OutOfMemory, {text(2 * kMiB), text(kMiB)}));
  EXPECT_EQ(device().usage().bytes, kMiB);
  must(device().free(buffers[1]));
  EXPECT_TRUE(is_refused(device().allocate({.size = kMiB / 4 + 1}), ErrorCode::OutOfMemory,
                         {text(kMiB / 4 + 1), text(kMiB - kMiB / 4), text(kMiB)}));
  const std::vector<std::byte> data = random_bytes(kMiB / 4, 3);
  EXPECT_TRUE(contents<std::byte>(allocate_with(data), data.size()) == data);
}

TEST_P(Conformance, MemoryFreedWhileWorkIsPendingComesBackAfterIt) {
  reopen({.memory_budget = kMiB});
  const BufferHandle target = allocate(4);
  const BufferHandle held = allocate(kMiB - 4);
  CommandList list;
  add_spin(list, target);
  list.fill({.buffer = held}, 0);
  const Ticket ticket = must(device().submit(list));
  must(device().free(held));
  // It is still in use, or the device was quick.
  const auto early = device().allocate({.size = kMiB - 4});
  if (early) {
    must(device().free(*early));
  } else {
    EXPECT_TRUE(is_refused(early, ErrorCode::OutOfMemory, {text(kMiB - 4), text(kMiB)}));
  }
  must(device().wait(ticket));
  EXPECT_EQ(device().usage().bytes, 4);
  EXPECT_EQ(device().usage().waiting, 0);
  allocate(kMiB - 4);
  EXPECT_EQ(words(target, 1).front(), spun(1));
}

TEST_P(Conformance, WhatAListUsesMayBeFreedOnceItIsSubmitted) {
  const BufferHandle result = allocate(256);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const BufferHandle scratch = allocate_with(std::vector<std::uint32_t>(64, i));
    const PipelineHandle pipeline = compile("step");
    const std::vector<std::uint32_t> params = {i};
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = scratch}}, {1, 1, 1}, bytes_of(params));
    list.barrier();
    list.copy(scratch, 0, result, std::uint64_t{4} * i, 4);
    const RecordingHandle recording = record(list);
    must(device().replay(recording));
    must(device().free(recording));
    must(device().free(pipeline));
    must(device().free(scratch));
  }
  const std::vector<std::uint32_t> values = words(result, 20);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(values[i], stepped(i, i));
}

}  // namespace
}  // namespace vyre::tests
