#include <vyre/report/audit_log.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <vyre/base/u128.hpp>

namespace vyre::report {

AuditLog::AuditLog(std::size_t capacity) : ring_(capacity) {}

void AuditLog::record(std::span<const policy::AuditEvent> events) noexcept {
  if (events.empty()) return;
  const std::scoped_lock lock{mutex_};
  recorded_ += events.size();
  if (ring_.empty()) return;
  for (const policy::AuditEvent& event : events) {
    ring_[next_] = event;
    if (++next_ == ring_.size()) next_ = 0;
  }
}

void AuditLog::clear() noexcept {
  const std::lock_guard lock{mutex_};
  next_ = 0;
  recorded_ = 0;
}

AuditSnapshot AuditLog::snapshot() const {
  const std::scoped_lock lock{mutex_};
  AuditSnapshot result;
  const auto held = static_cast<std::size_t>(std::min<std::uint64_t>(recorded_, ring_.size()));
  result.dropped = recorded_ - held;
  result.events.reserve(held);
  // Until the ring is full its oldest event is the first one; after that it is the one to be replaced next.
  const std::size_t oldest = held < ring_.size() ? 0 : next_;
  for (std::size_t i = 0; i < held; ++i) result.events.push_back(ring_[(oldest + i) % ring_.size()]);
  return result;
}

std::string to_string(const policy::AuditEvent& event) {
  return fmt::format("{} {} saved={}ns {}", to_string(event.substrate), to_string(event.action),
                     U128Text{event.saved_ns}.view(), to_string(event.detail));
}

std::string to_string(const AuditSnapshot& snapshot) {
  std::string text;
  for (const policy::AuditEvent& event : snapshot.events) text.append(to_string(event)).append("\n");
  if (snapshot.dropped != 0) text.append(fmt::format("({} older events dropped)\n", snapshot.dropped));
  return text;
}

}  // namespace vyre::report
