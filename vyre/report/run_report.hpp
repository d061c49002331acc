#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vyre/policy/audit_event.hpp>
#include <vyre/program/forms/form.hpp>
#include <vyre/report/choice_report.hpp>

namespace vyre::report {

/// What was done with the dispatches of one program, and why.
struct ProgramReport {
  std::string program = {};
  std::uint64_t dispatches = 0;
  std::uint64_t plain = 0;                                 ///< Submitted one by one.
  std::uint64_t batched = 0;                               ///< In a list that was made for them.
  std::uint64_t replayed = 0;                              ///< In a list that was there already.
  std::string reason = {};                                 ///< Of the last choice.
  program::FormKind form = program::FormKind::Descriptor;  ///< That its dispatches ran in.
  std::string form_refused = {};                           ///< Why that is not the one the mode is for.
  /// The bindings that were given overlapping buffers, one of them written: a variant of the program ran, in which they
  /// are declared `Aliased`. Empty for the program as it is.
  std::string in_place = {};

  friend bool operator==(const ProgramReport&, const ProgramReport&) = default;
};

/// What a session did from one `finish` to the next.
struct RunReport {
  std::string device = {};
  std::uint64_t dispatches = 0;
  std::uint64_t copies = 0;
  std::uint64_t fills = 0;
  std::uint64_t batches = 0;
  std::uint64_t submissions = 0;
  std::uint64_t replays = 0;     ///< Of the submissions.
  std::uint64_t recordings = 0;  ///< Lists that were kept for replaying.
  std::uint64_t waves = 0;
  std::uint64_t barriers = 0;                      ///< Placed.
  std::uint64_t barriers_avoided = 0;              ///< That running one thing after another would have had besides.
  std::uint64_t bytes_written = 0;                 ///< From the host.
  std::uint64_t bytes_read = 0;                    ///< To the host.
  std::uint64_t bytes_overlapped = 0;              ///< Of those, moved by the host while the device was at work.
  std::uint64_t host_ns = 0;                       ///< In planning and submitting.
  std::uint64_t wait_ns = 0;                       ///< Waiting for the device.
  std::uint64_t elapsed_ns = 0;                    ///< From the first operation to the end.
  std::uint64_t device_ns = 0;                     ///< Of the device itself, for those submissions it was taken of.
  std::uint64_t timed_submissions = 0;             ///< How many these are; none unless the session was asked to.
  std::vector<ProgramReport> programs = {};        ///< In the order of their first dispatch.
  std::vector<policy::AuditEvent> decisions = {};  ///< The last that left the plain path.
  std::uint64_t decisions_dropped = 0;
  /// Batches that a launch mode was chosen for, as of the last decision for each: the first 256 shapes of them.
  std::vector<std::shared_ptr<const ShapeReport>> shapes = {};
  PredictionErrors errors = {};      ///< Of the device, up to now.
  std::uint64_t calibration_ns = 0;  ///< What measuring the device took, which is not in the other times.
  std::string not_calibrated = {};   ///< Why nothing was chosen, if the device could not be measured.

  friend bool operator==(const RunReport&, const RunReport&) = default;
};

/// For a person.
[[nodiscard]] std::string to_text(const RunReport& report);
/// For a program.
[[nodiscard]] std::string to_json(const RunReport& report);

}  // namespace vyre::report
