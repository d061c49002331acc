#include <vyre/plan/hazards.hpp>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/allocations.hpp"

namespace vyre::plan {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

using Batch = std::vector<std::vector<Touch>>;

Touch reads(std::uint32_t buffer, std::uint64_t begin = 0, std::uint64_t end = 256) {
  return {.buffer = buffer, .begin = begin, .end = end, .writes = false};
}

Touch writes(std::uint32_t buffer, std::uint64_t begin = 0, std::uint64_t end = 256) {
  return {.buffer = buffer, .begin = begin, .end = end, .writes = true};
}

std::vector<std::uint32_t> waves_of(WaveFinder& finder, const Batch& batch) {
  finder.clear();
  std::vector<std::uint32_t> waves;
  waves.reserve(batch.size());
  for (const std::vector<Touch>& touches : batch) waves.push_back(finder.add(touches));
  return waves;
}

std::vector<std::uint32_t> waves_of(const Batch& batch) {
  WaveFinder finder;
  return waves_of(finder, batch);
}

TEST(WaveFinder, ReadsOfTheSameBytesShareAWave) {
  EXPECT_THAT(waves_of({{reads(0)}, {reads(0)}, {reads(0, 16, 32)}}), ElementsAre(0, 0, 0));
}

TEST(WaveFinder, PutsAReadBehindAWriteAWriteBehindAReadAndAWriteBehindAWrite) {
  EXPECT_THAT(waves_of({{writes(0)}, {reads(0)}}), ElementsAre(0, 1));
  EXPECT_THAT(waves_of({{reads(0)}, {writes(0)}}), ElementsAre(0, 1));
  EXPECT_THAT(waves_of({{writes(0)}, {writes(0)}}), ElementsAre(0, 1));
  EXPECT_THAT(waves_of({{writes(0)}, {reads(0)}, {reads(0)}, {writes(0)}, {reads(0)}}), ElementsAre(0, 1, 1, 2, 3));
}

TEST(WaveFinder, TellsBuffersAndRangesApart) {
  EXPECT_THAT(waves_of({{writes(0)}, {writes(1)}, {writes(1'000'000)}}), ElementsAre(0, 0, 0));
  EXPECT_THAT(waves_of({{writes(0, 0, 64)}, {writes(0, 64, 128)}, {reads(0, 63, 64)}, {reads(0, 128, 129)}}),
              ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(waves_of({{writes(0, 64, 128)}, {writes(0, 127, 200)}, {reads(0, 0, 64)}, {reads(0, 64, 127)}}),
              ElementsAre(0, 1, 0, 1));
}

TEST(WaveFinder, GoesBackToAnEarlierWaveWhereNothingStandsInTheWay) {
  EXPECT_THAT(waves_of({{writes(0)}, {reads(0), writes(1)}, {reads(1), writes(2)}, {writes(3)}, {reads(0)}}),
              ElementsAre(0, 1, 2, 0, 1));
}

TEST(WaveFinder, TakesAnOperationThatTouchesTheSameBytesTwice) {
  EXPECT_THAT(waves_of({{reads(0), writes(0)}, {reads(0, 8, 16), writes(0, 0, 12)}, {reads(0, 12, 16)}}),
              ElementsAre(0, 1, 1));
}

TEST(WaveFinder, TakesTheFirstAndTheLastByteThereIs) {
  EXPECT_THAT(waves_of({{writes(0, 0, kMax)}, {reads(0, kMax - 1, kMax)}, {writes(0, 0, 1)}, {reads(0, 1, kMax)}}),
              ElementsAre(0, 1, 1, 1));
}

TEST(WaveFinder, PutsAnOperationThatTouchesNothingIntoTheFirstWave) {
  EXPECT_THAT(waves_of({{writes(0)}, {writes(0)}, {}}), ElementsAre(0, 1, 0));
}

TEST(WaveFinder, CountsTheWavesOfTheBatch) {
  WaveFinder finder;
  EXPECT_EQ(finder.wave_count(), 0U);
  EXPECT_THAT(waves_of(finder, {{writes(3)}, {writes(3)}, {reads(0)}}), ElementsAre(0, 1, 0));
  EXPECT_EQ(finder.wave_count(), 2U);
  finder.clear();
  EXPECT_EQ(finder.wave_count(), 0U);
  EXPECT_THAT(waves_of(finder, {{reads(3)}, {writes(0)}}), ElementsAre(0, 0));
}

/// What an operation reads and writes, byte by byte, all buffers one behind another.
template <std::size_t Bytes>
struct ByteSets {
  std::bitset<Bytes> read;
  std::bitset<Bytes> written;

  [[nodiscard]] bool conflicts_with(const ByteSets& other) const {
    return (written & other.written).any() || (written & other.read).any() || (read & other.written).any();
  }
};

struct Shape {
  std::uint32_t buffers = 1;
  std::uint64_t buffer_size = 1;
  std::uint64_t longest = 1;  ///< Of a touch.
  std::uint64_t grain = 1;    ///< Touches begin and end at multiples of it.
  std::size_t operations = 0;
  std::uint32_t write_percent = 50;
};

class RandomBatches {
 public:
  explicit RandomBatches(std::uint32_t seed) : random_{seed} {}

  [[nodiscard]] std::uint64_t number(std::uint64_t min, std::uint64_t max) { return min + random_() % (max - min + 1); }

  [[nodiscard]] Batch batch(const Shape& shape) {
    Batch batch(shape.operations);
    for (std::vector<Touch>& touches : batch) {
      touches.resize(number(1, 3));
      for (Touch& touch : touches) touch = this->touch(shape);
    }
    return batch;
  }

 private:
  [[nodiscard]] Touch touch(const Shape& shape) {
    const auto buffer = static_cast<std::uint32_t>(number(0, shape.buffers - 1));
    const bool is_write = number(1, 100) <= shape.write_percent;
    const std::uint64_t kind = number(0, 19);
    if (kind == 0) return {.buffer = buffer, .begin = 0, .end = shape.buffer_size, .writes = is_write};
    const std::uint64_t begin = number(0, (shape.buffer_size - 1) / shape.grain) * shape.grain;
    const std::uint64_t longest = kind == 1 ? shape.buffer_size : shape.longest;
    const std::uint64_t end = std::min(begin + number(1, longest) * shape.grain, shape.buffer_size);
    return {.buffer = buffer, .begin = begin, .end = end, .writes = is_write};
  }

  std::mt19937_64 random_;
};

/// Compares with every pair of operations: those that conflict are in increasing waves, so that no barrier is missing,
/// and each wave is the length of the longest chain of conflicts that leads to it, so that none is needless.
template <std::size_t Bytes>
void compare_with_every_pair(WaveFinder& finder, const Batch& batch, const Shape& shape) {
  const std::vector<std::uint32_t> waves = waves_of(finder, batch);
  std::vector<ByteSets<Bytes>> sets(batch.size());
  std::vector<std::uint32_t> chains(batch.size());
  for (std::size_t later = 0; later < batch.size(); ++later) {
    for (const Touch& touch : batch[later]) {
      for (std::uint64_t byte = touch.begin; byte < touch.end; ++byte) {
        (touch.writes ? sets[later].written : sets[later].read).set(touch.buffer * shape.buffer_size + byte);
      }
    }
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!sets[later].conflicts_with(sets[earlier])) continue;
      ASSERT_LT(waves[earlier], waves[later]) << earlier << " before " << later;
      chains[later] = std::max(chains[later], chains[earlier] + 1);
    }
  }
  ASSERT_EQ(waves, chains);
  ASSERT_EQ(finder.wave_count(), *std::ranges::max_element(chains) + 1);
}

TEST(WaveFinder, AgreesWithEveryPairOfOperationsInSmallBatches) {
  WaveFinder finder;
  for (std::uint32_t seed = 0; seed < 4'000; ++seed) {
    SCOPED_TRACE(seed);
    RandomBatches random{seed};
    const Shape shape{.buffers = static_cast<std::uint32_t>(random.number(1, 4)),
                      .buffer_size = random.number(1, 64),
                      .longest = random.number(1, 24),
                      .grain = random.number(1, 4),
                      .operations = random.number(1, 60),
                      .write_percent = static_cast<std::uint32_t>(random.number(5, 95))};
    ASSERT_NO_FATAL_FAILURE(compare_with_every_pair<256>(finder, random.batch(shape), shape));
  }
}

TEST(WaveFinder, AgreesWithEveryPairOfOperationsWhereABufferHasManySegments) {
  WaveFinder finder;
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomBatches random{seed};
    const Shape shape{.buffers = static_cast<std::uint32_t>(random.number(1, 2)),
                      .buffer_size = 2'048,
                      .longest = random.number(1, 64),
                      .grain = random.number(1, 8),
                      .operations = random.number(100, 800),
                      .write_percent = static_cast<std::uint32_t>(random.number(5, 95))};
    ASSERT_NO_FATAL_FAILURE(compare_with_every_pair<4'096>(finder, random.batch(shape), shape));
  }
}

TEST(WaveFinder, RemembersAWriteOfEverythingHoweverItIsCutLater) {
  constexpr std::uint64_t kSize = 1'600;
  WaveFinder finder;
  const auto wave_of = [&finder](const Touch& touch) { return finder.add({&touch, 1}); };
  for (std::uint64_t i = 0; i < kSize; i += 16) ASSERT_EQ(wave_of(reads(0, i, i + 8)), 0U);
  ASSERT_EQ(wave_of(writes(0, 0, kSize)), 1U);
  for (std::uint64_t i = 0; i < kSize; i += 16) ASSERT_EQ(wave_of(reads(0, i + 4, i + 6)), 2U);
  for (std::uint64_t begin = 0; begin < kSize; begin += 2) {
    for (std::uint64_t end = begin + 2; end <= kSize; end += 2) {
      ASSERT_EQ(wave_of(reads(0, begin, end)), 2U) << begin << " to " << end;
    }
  }
  EXPECT_EQ(wave_of(reads(0, kSize, kSize + 1)), 0U);
}

TEST(WaveFinder, TakesManyDifferentRangesOfOneBuffer) {
  constexpr std::uint64_t kCount = 200'000;
  constexpr std::uint64_t kScatter = 77'777;  // Has no factor in common with the count.
  WaveFinder finder;
  const auto add_all = [&](bool is_write) {
    std::vector<std::uint32_t> waves;
    waves.reserve(kCount);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const std::uint64_t begin = i * kScatter % kCount * 16;
      const Touch touch{.buffer = 0, .begin = begin, .end = begin + 8 + i % 8, .writes = is_write};
      waves.push_back(finder.add({&touch, 1}));
    }
    return waves;
  };
  EXPECT_THAT(add_all(true), Each(0U));
  EXPECT_THAT(add_all(false), Each(1U));
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const Touch whole = reads(0, i, kCount * 16);
    ASSERT_EQ(finder.add({&whole, 1}), 1U);
  }
  const Touch whole = writes(0, 0, kCount * 16);
  EXPECT_EQ(finder.add({&whole, 1}), 2U);
  EXPECT_THAT(add_all(true), Each(3U));
}

TEST(WaveFinder, DoesNotAllocateForABatchLikeTheLast) {
  WaveFinder finder;
  for (const Shape& shape : {Shape{.buffers = 500, .buffer_size = 1, .operations = 1'000},
                             Shape{.buffers = 2, .buffer_size = 100'000, .longest = 100, .operations = 5'000}}) {
    const Batch batch = RandomBatches{1}.batch(shape);
    std::uint64_t before = tests::allocation_count();
    for (const std::vector<Touch>& touches : batch) static_cast<void>(finder.add(touches));
    EXPECT_GT(tests::allocation_count(), before);  // The count can tell.
    for (int repeat = 0; repeat < 3; ++repeat) {
      before = tests::allocation_count();
      finder.clear();
      for (const std::vector<Touch>& touches : batch) static_cast<void>(finder.add(touches));
      EXPECT_EQ(tests::allocation_count(), before);
    }
  }
}

/// The arm of an operation, with a slot for each byte.
policy::Arm arm_of(const std::vector<Touch>& touches) {
  policy::Arm arm;
  for (const Touch& touch : touches) {
    for (std::uint64_t byte = touch.begin; byte < touch.end; ++byte) {
      const auto slot = static_cast<std::uint32_t>(touch.buffer * 64 + byte);
      (touch.writes ? arm.writes : arm.reads).insert(slot);
    }
  }
  return arm;
}

/// D2 calls all operations of a wave independent, and every operation waits for one of the wave before it.
TEST(WaveFinder, NeverDisagreesWithD2) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Batch batch = RandomBatches{seed}.batch(
        {.buffers = 3, .buffer_size = 64, .longest = 24, .grain = 4, .operations = 40, .write_percent = 40});
    const std::vector<std::uint32_t> waves = waves_of(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      bool has_reason = waves[i] == 0;
      for (std::size_t j = 0; j < i; ++j) {
        const auto answer = policy::can_dispatch_concurrently(arm_of(batch[j]), arm_of(batch[i]));
        const bool waits = std::holds_alternative<policy::SerializeRequired>(answer);
        ASSERT_FALSE(waits && waves[i] <= waves[j]) << "seed " << seed << ", operations " << j << " and " << i;
        has_reason |= waits && waves[j] + 1 == waves[i];
      }
      ASSERT_TRUE(has_reason) << "seed " << seed << ", operation " << i;
    }
  }
}

TEST(WaveFinder, FollowsAnotherAnswerOfD2) {
  const Batch batch{{writes(0)}, {reads(0)}, {reads(0)}};
  WaveFinder careless{WaitRule::ask([](const policy::DispatchFacts&, std::uint32_t) {
    return policy::DispatchPolicy{.arm_independence = policy::Independent{}};
  })};
  EXPECT_THAT(waves_of(careless, batch), ElementsAre(0, 0, 0));
  WaveFinder fearful{WaitRule::ask([](const policy::DispatchFacts&, std::uint32_t) {
    return policy::DispatchPolicy{.arm_independence = policy::SerializeRequired{}};
  })};
  EXPECT_THAT(waves_of(fearful, batch), ElementsAre(0, 1, 2));
}

TEST(WaveFinderDeathTest, RefusesATouchWithoutBytes) {
  WaveFinder finder;
  const Touch empty = reads(0, 8, 8);
  EXPECT_DEATH(static_cast<void>(finder.add({&empty, 1})), "a touch has bytes");
}

}  // namespace
}  // namespace vyre::plan
