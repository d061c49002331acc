#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>

namespace vyre::choice {

/// What kernels take by program, form and class of size, above the kernel of the calibration. Learned from whole lists.
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
  };

  /// Of one dispatch. From another form by the calibrated ratio where this one was not observed; 0 if none was.
  [[nodiscard]] double get(const Calibration& calibration, Key key, program::FormKind form) const;
  /// Notes what a dispatch took: less than the kernel of the calibration if that was measured too high.
  void set(Key key, program::FormKind form, double ns);

  /// What was observed, if anything was.
  [[nodiscard]] Times observed(Key key) const {
    const auto found = times_.find(key);
    return found == times_.end() ? Times{} : found->second;
  }

 private:
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
