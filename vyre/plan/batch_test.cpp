#include <vyre/plan/batch.hpp>

#include <array>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

backend::BufferHandle buffer(std::uint32_t index) { return {.index = index, .generation = 1}; }

void dispatch(Batch& batch, std::uint32_t on = 0) {
  const std::array range{backend::BufferRange{.buffer = buffer(on), .size = 4}};
  const backend::PipelineHandle pipeline{.index = 5, .generation = 1};
  batch.add_dispatch(0, pipeline, range, {1, 1, 1}, {}, hash_dispatch(pipeline, range, {1, 1, 1}, {}));
}

backend::Copy copy(std::uint32_t from, std::uint32_t to, std::uint64_t size = 64) {
  return {.from = buffer(from), .to = buffer(to), .size = size};
}

TEST(Batch, TransfersBeforeTheFirstDispatchAndAfterTheLastStandBeside) {
  Batch batch;
  batch.add(copy(8, 0));
  batch.add(backend::Fill{.range = {.buffer = buffer(1), .size = 16}});
  EXPECT_FALSE(batch.has_dispatches());
  EXPECT_EQ(batch.list.commands().size(), 2) << "without dispatches everything is in the list";
  dispatch(batch);
  dispatch(batch, 1);
  batch.add(copy(1, 9));
  EXPECT_EQ(batch.leading.commands().size(), 2);
  EXPECT_EQ(batch.list.commands().size(), 2);
  EXPECT_EQ(batch.trailing.commands().size(), 1);
  EXPECT_EQ(batch.operations(), 5);
  EXPECT_EQ(batch.name().operations, 5);
  EXPECT_EQ(batch.copies, 2);
  EXPECT_EQ(batch.fills, 1);
  EXPECT_TRUE(batch.has_dispatches());
  batch.clear();
  EXPECT_TRUE(batch.leading.commands().empty() && batch.trailing.commands().empty());
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.operations(), 0);
}

TEST(Batch, TransfersBetweenTwoDispatchesAreOperationsLikeOthers) {
  Batch batch;
  dispatch(batch);
  batch.add(copy(0, 9));
  batch.add(copy(1, 9));
  dispatch(batch);
  EXPECT_EQ(batch.beside, 0);
  ASSERT_EQ(batch.list.commands().size(), 4);
  EXPECT_EQ(std::get<backend::Copy>(batch.list.commands()[1]), copy(0, 9));
  EXPECT_EQ(std::get<backend::Copy>(batch.list.commands()[2]), copy(1, 9));
  // One that nothing before it depends on need not stay between them.
  batch.add(copy(8, 3), true);
  dispatch(batch, 3);
  EXPECT_EQ(batch.leading.commands().size(), 1);
  EXPECT_EQ(batch.list.commands().size(), 5);
  EXPECT_EQ(batch.operations(), 6);
}

TEST(Batch, TheHashDependsOnWhatIsPlannedAndTheHashOfCostsOnTheSizesOfTheRest) {
  const auto hashes = [](std::uint32_t staging, std::uint64_t written, std::uint64_t read) {
    Batch batch;
    batch.add(copy(staging, 0, written));
    dispatch(batch);
    if (read > 0) batch.add(copy(0, staging + 1, read));
    return std::pair{batch.hash, batch.cost_hash()};
  };
  EXPECT_EQ(hashes(8, 64, 64), hashes(20, 100, 127)) << "other staging memory, and sizes of the same class";
  EXPECT_EQ(hashes(8, 64, 64).first, hashes(8, 4096, 0).first);
  EXPECT_NE(hashes(8, 64, 64).second, hashes(8, 4096, 64).second);
  EXPECT_NE(hashes(8, 64, 64).second, hashes(8, 64, 0).second);
  Batch alone;
  dispatch(alone);
  EXPECT_EQ(alone.hash, hashes(8, 64, 64).first);
  EXPECT_EQ(alone.hash, alone.cost_hash());
  const std::uint64_t before = alone.hash;
  alone.rehash();
  EXPECT_EQ(alone.hash, before);
}

TEST(Batch, CanKeepTransfersWhereTheyAre) {
  Batch batch;
  batch.keeps_transfers = true;
  batch.add(copy(8, 0));
  dispatch(batch);
  batch.add(copy(0, 9));
  EXPECT_EQ(batch.list.commands().size(), 3);
  EXPECT_EQ(batch.beside, 0);
}

TEST(Batch, APartOfAnotherBatchIsAddedAsIfItsOperationsWere) {
  Batch captured;
  captured.keeps_transfers = true;
  Batch expected;
  for (Batch* each : {&captured, &expected}) {
    each->add(copy(8, 0));
    dispatch(*each);
    each->add(backend::Fill{.range = {.buffer = buffer(1), .size = 16}});
    dispatch(*each, 3);
    each->add(copy(1, 9));
  }
  Batch batch;
  batch.append(captured, {.begin = 0, .end = 2, .dispatches = {1}});
  batch.append(captured, {.begin = 2, .end = 5, .dispatches = {1}});
  EXPECT_EQ(batch.list, expected.list);
  EXPECT_EQ(batch.leading, expected.leading);
  EXPECT_EQ(batch.trailing, expected.trailing);
  EXPECT_EQ(batch.hash, expected.hash);
  EXPECT_EQ(batch.copies, 2);
  EXPECT_EQ(batch.fills, 1);
  EXPECT_EQ(batch.dispatches, expected.dispatches);
}

TEST(Batch, AChangedOperationChangesTheHashByItsPower) {
  const std::array<std::uint64_t, 5> hashes = {3, 1, 4, 1, 5};
  for (std::size_t changed = 0; changed < hashes.size(); ++changed) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      before = hash_after(before, hashes[i]);
      after = hash_after(after, i == changed ? 92 : hashes[i]);
    }
    EXPECT_EQ(after, before + (92 - hashes[changed]) * hash_power(hashes.size() - 1 - changed));
  }
}

}  // namespace
}  // namespace vyre::plan
