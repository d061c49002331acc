#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>

namespace vyre::choice {

/// The times of kernels by program, form and class of size, beyond the kernel of the calibration. They come from
/// timestamps around groups of dispatches; where there are none, from whole lists of one kernel.
class KernelTimes {
 public:
  static constexpr std::size_t kMaxEntries = 4096;

  struct Key {
    std::uint64_t program = 0;
    std::uint32_t size_class = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Times {
    std::array<std::optional<double>, program::kForms> ns = {};  ///< By `FormKind`, as far as it was observed.
    std::array<std::uint32_t, program::kForms> timings = {};     ///< By `FormKind`: how often timestamps told.
  };

  /// Of one dispatch. From another form by the calibrated ratio where this one was not observed; 0 if none was.
  [[nodiscard]] double get(const Calibration& calibration, Key key, program::FormKind form) const;
  /// Notes what a dispatch took: less than the kernel of the calibration if that was measured too high.
  void set(Key key, program::FormKind form, double ns);

  /// Notes what timestamps told of a dispatch. The least of the first `kTimings` counts, because disturbances only add;
  /// whole lists say nothing any more.
  static constexpr std::uint32_t kTimings = 3;
  void time(Key key, program::FormKind form, double ns);
  /// How often timestamps told of a dispatch.
  [[nodiscard]] std::uint32_t timings(Key key, program::FormKind form) const {
    const auto found = times_.find(key);
    return found == times_.end() ? 0 : found->second.timings[static_cast<std::size_t>(form)];
  }

  /// Takes over the times that another process observed, unless times of the kernel were observed here.
  void recall(Key key, const Times& times) {
    if (times_.size() < kMaxEntries) times_.emplace(key, times);
  }
  /// Calls `visit` with the key and the times of each kernel.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, times] : times_) visit(key, times);
  }

  /// What was observed, if anything was.
  [[nodiscard]] Times observed(Key key) const {
    const auto found = times_.find(key);
    return found == times_.end() ? Times{} : found->second;
  }

 private:
  [[nodiscard]] Times& find_or_add(Key key);

  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return static_cast<std::size_t>((key.program ^ key.size_class) * 0x9e37'79b9'7f4a'7c15U);
    }
  };
  std::unordered_map<Key, Times, Hash> times_;
};

/// How the time of a kernel in a form compares to the descriptor form's, by its size.
[[nodiscard]] double body_ratio(const Calibration& calibration, program::FormKind form,
                                std::uint32_t size_class) noexcept;

}  // namespace vyre::choice
