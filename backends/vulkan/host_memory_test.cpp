#include <backends/vulkan/host_memory.hpp>

#include <cstring>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::backends::vulkan {
namespace {

TEST(HostMemory, GivesPiecesOfTheirOwnWhateverTheirSize) {
  HostMemory memory;
  std::mt19937 random{1};
  struct Piece {
    std::size_t size = 0;
    unsigned char value = 0;
  };
  std::map<unsigned char*, Piece> pieces;
  const auto check = [](const unsigned char* begin, const Piece& piece, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(begin[i], piece.value);
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto what = random() % 4;
    const std::size_t size = random() % (random() % 8 == 0 ? 5000 : 600) + 1;
    const std::size_t alignment = std::size_t{1} << random() % (random() % 8 == 0 ? 9 : 5);
    if (what < 2 || pieces.empty()) {
      auto* begin = static_cast<unsigned char*>(memory.allocate(size, alignment));
      ASSERT_NE(begin, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(begin) % alignment, 0U);
      const Piece piece{.size = size, .value = static_cast<unsigned char>(i)};
      std::memset(begin, piece.value, size);
      ASSERT_TRUE(pieces.emplace(begin, piece).second);
      continue;
    }
    const auto found = std::next(pieces.begin(), static_cast<std::ptrdiff_t>(random() % pieces.size()));
    auto [begin, piece] = *found;
    check(begin, piece, piece.size);
    pieces.erase(found);
    if (what == 2) {
      memory.free(begin);
    } else {
      auto* moved = static_cast<unsigned char*>(memory.reallocate(begin, size, alignment));
      ASSERT_NE(moved, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(moved) % alignment, 0U);
      check(moved, piece, std::min(size, piece.size));
      std::memset(moved, piece.value, size);
      ASSERT_TRUE(pieces.emplace(moved, Piece{.size = size, .value = piece.value}).second);
    }
  }
  for (const auto& [begin, piece] : pieces) {
    check(begin, piece, piece.size);
    memory.free(begin);
  }
}

TEST(HostMemory, GivesMoreThanItKeeps) {
  HostMemory memory;
  std::vector<unsigned char*> pieces;
  for (int i = 0; i < 20'000; ++i) {
    pieces.push_back(static_cast<unsigned char*>(memory.allocate(900, 8)));
    ASSERT_NE(pieces.back(), nullptr);
    std::memset(pieces.back(), i, 900);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_EQ(pieces[i][0], static_cast<unsigned char>(i));
    ASSERT_EQ(pieces[i][899], static_cast<unsigned char>(i));
    memory.free(pieces[i]);
  }
}

TEST(HostMemory, DoesAsVulkanAsksAtTheEdges) {
  HostMemory memory;
  const VkAllocationCallbacks& calls = *memory.callbacks();
  const auto scope = VK_SYSTEM_ALLOCATION_SCOPE_OBJECT;
  calls.pfnFree(calls.pUserData, nullptr);
  void* piece = calls.pfnReallocation(calls.pUserData, nullptr, 40, 8, scope);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(calls.pfnReallocation(calls.pUserData, piece, 0, 8, scope), nullptr);
  EXPECT_EQ(calls.pfnAllocation(calls.pUserData, SIZE_MAX - 8, 8, scope), nullptr);
  // What cannot be made larger stays as it is.
  auto* kept = static_cast<unsigned char*>(calls.pfnAllocation(calls.pUserData, 300, 8, scope));
  ASSERT_NE(kept, nullptr);
  kept[299] = 7;
  EXPECT_EQ(calls.pfnReallocation(calls.pUserData, kept, SIZE_MAX - 8, 8, scope), nullptr);
  EXPECT_EQ(kept[299], 7);
  calls.pfnFree(calls.pUserData, kept);
  // What was freed is used again.
  EXPECT_EQ(calls.pfnAllocation(calls.pUserData, 40, 8, scope), piece);
}

}  // namespace
}  // namespace vyre::backends::vulkan
