#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/plan/hazards.hpp>

namespace vyre::plan {

/// Splits a batch into arms, which can run on queues of their own: no arm touches a buffer that another arm writes, so
/// that no operation has to wait for one of another arm (D2). A buffer counts as a whole: two arms never write to
/// different ranges of it. Memory is reused from one batch to the next.
class ArmSplitter {
 public:
  explicit ArmSplitter(const WaitRule& rule = WaitRule::ask()) noexcept : rule_{rule} {}

  /// Begins another batch.
  void begin() noexcept;
  /// Adds an operation.
  void add(std::span<const Touch> touches);
  /// The arm of each operation, in order of the operations. There are up to `max_arms` arms with about the same number
  /// of operations, numbered in the order in which they first occur. All are 0 if the batch cannot be split. The span
  /// is valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> split(std::size_t max_arms);

 private:
  struct Use {
    std::uint64_t epoch = 0;
    std::uint32_t first = 0;  // The first operation that touches the buffer.
    bool is_written = false;
  };
  struct Touched {
    std::uint32_t operation = 0;
    std::uint32_t buffer = 0;
  };

  [[nodiscard]] std::uint32_t root(std::uint32_t operation) noexcept;

  WaitRule rule_;
  std::uint64_t epoch_ = 0;
  std::uint32_t count_ = 0;
  std::vector<Use> uses_;               // By number of the buffer.
  std::vector<Touched> touched_;        // Each touch, in order.
  std::vector<std::uint32_t> parents_;  // By operation: its parent in the tree of its part; the root is its own.
  std::vector<std::uint32_t> weights_;  // By root: the number of operations of its part.
  std::vector<std::uint32_t> places_;   // By root: the arm of its part plus one; 0 before it has an arm.
  std::vector<std::uint32_t> arms_;     // By operation: its arm.
  std::vector<std::uint64_t> loads_;    // By arm: the number of its operations.
};

}  // namespace vyre::plan
