#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <vyre/policy/audit_event.hpp>

namespace vyre::report {

/// The contents of an audit log at one moment.
struct AuditSnapshot {
  std::vector<policy::AuditEvent> events = {};  ///< Oldest first.
  std::uint64_t dropped = 0;                    ///< Events that made room for newer ones.

  friend bool operator==(const AuditSnapshot&, const AuditSnapshot&) = default;
};

/// A bounded log of the decisions that left the plain path.
///
/// When it is full, the oldest event makes room and is counted. Recording does not allocate.
/// Thread safety: all members may be called concurrently; the events of one `record` stay together.
class AuditLog {
 public:
  static constexpr std::size_t kDefaultCapacity = 256;

  /// A log of at most `capacity` events; a log of none only counts.
  explicit AuditLog(std::size_t capacity = kDefaultCapacity);

  void record(std::span<const policy::AuditEvent> events) noexcept;

  /// A callable for `evaluate_dispatch_policy`. Must not outlive the log.
  [[nodiscard]] auto recorder() noexcept {
    return [this](std::span<const policy::AuditEvent> events) noexcept { record(events); };
  }

  [[nodiscard]] AuditSnapshot snapshot() const;
  void clear() noexcept;
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.size(); }

 private:
  mutable std::mutex mutex_;
  std::vector<policy::AuditEvent> ring_;
  std::size_t next_ = 0;        // Where the next event goes.
  std::uint64_t recorded_ = 0;  // All events ever recorded, from which the number of dropped ones follows.
};

/// `trace_jit speculate saved=123ns predicted_shape`
[[nodiscard]] std::string to_string(const policy::AuditEvent& event);

/// A line per event, oldest first, then `(3 older events dropped)` if there were any. Every line ends in a newline.
[[nodiscard]] std::string to_string(const AuditSnapshot& snapshot);

}  // namespace vyre::report
