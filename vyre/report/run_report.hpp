#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vyre/policy/audit_event.hpp>
#include <vyre/program/forms/form.hpp>
#include <vyre/report/choice_report.hpp>

namespace vyre::report {

/// How the dispatches of one program were launched, and why.
struct ProgramReport {
  std::string program = {};
  std::uint64_t dispatches = 0;
  std::uint64_t plain = 0;                                 ///< Submitted one by one.
  std::uint64_t batched = 0;                               ///< In a list that was recorded for them.
  std::uint64_t replayed = 0;                              ///< In a list that was kept before.
  std::string reason = {};                                 ///< The reason of the last decision.
  program::FormKind form = program::FormKind::Descriptor;  ///< The form in which its dispatches ran.
  std::string form_refused = {};                           ///< Why they did not run in the form of the launch mode.
  /// The bindings that were given overlapping buffers, at least one of them written. A variant of the program ran,
  /// which declares them `Aliased`. Empty for the program itself.
  std::string in_place = {};

  friend bool operator==(const ProgramReport&, const ProgramReport&) = default;
};

/// The work of a session from one `finish` to the next.
struct RunReport {
  std::string device = {};
  std::uint64_t dispatches = 0;
  std::uint64_t copies = 0;
  std::uint64_t fills = 0;
  std::uint64_t batches = 0;
  std::uint64_t submissions = 0;
  std::uint64_t replays = 0;     ///< Submissions that replay a recording.
  std::uint64_t recordings = 0;  ///< Lists that were kept for replaying.
  std::uint64_t waves = 0;
  std::uint64_t barriers = 0;                ///< Barriers in the lists.
  std::uint64_t barriers_avoided = 0;        ///< Further barriers that running all operations one by one would need.
  std::uint64_t bytes_written = 0;           ///< Written by the host.
  std::uint64_t bytes_read = 0;              ///< Read by the host.
  std::uint64_t bytes_overlapped = 0;        ///< Written bytes that the host moved while the device was at work.
  std::uint64_t host_ns = 0;                 ///< Host time in deciding, planning and submitting.
  std::uint64_t wait_ns = 0;                 ///< Waiting for the device.
  std::uint64_t elapsed_ns = 0;              ///< From the first operation to the end.
  std::uint64_t device_ns = 0;               ///< Device time of the submissions that were timed.
  std::uint64_t timed_submissions = 0;       ///< How many were timed: 0 without `SessionOptions::time_device`.
  std::vector<ProgramReport> programs = {};  ///< In the order of their first dispatch.
  std::vector<policy::AuditEvent> decisions = {};  ///< The latest decisions that left the plain path.
  std::uint64_t decisions_dropped = 0;
  /// Batches that a launch mode was chosen for, as of the last decision for each: the first 256 shapes of them.
  std::vector<std::shared_ptr<const ShapeReport>> shapes = {};
  PredictionErrors errors = {};      ///< Of the device, up to now.
  std::uint64_t calibration_ns = 0;  ///< Time of calibrating the device, which no other time includes.
  std::string not_calibrated = {};   ///< Why the device could not be calibrated; empty if it could.

  friend bool operator==(const RunReport&, const RunReport&) = default;
};

/// The report as text for a person.
[[nodiscard]] std::string to_text(const RunReport& report);
/// The report as JSON.
[[nodiscard]] std::string to_json(const RunReport& report);

}  // namespace vyre::report
