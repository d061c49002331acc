#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vyre/report/audit_log.hpp>
#include <vyre/report/run_report.hpp>
#include <vyre/runtime/chooser.hpp>
#include <vyre/runtime/launcher.hpp>

namespace vyre::runtime {

/// Writes the report and the audit log of a run. No other stage writes to them.
///
/// A run goes from one `finish` to the next. Thread safety: one thread at a time.
class RunRecorder {
 public:
  explicit RunRecorder(std::string device);

  /// Notes when the run's first launch began. Further calls in the same run do nothing.
  void begin(std::uint64_t now_ns) noexcept {
    if (!begin_ns_) begin_ns_ = now_ns;
  }
  /// Adds a batch that was launched. `is_captured`: whether it is the replay of a capture, for which no policy was
  /// asked.
  void add(const plan::Batch& batch, const Decision& decision, const Launched& launched, const ProgramTable& programs,
           bool is_captured);
  void add_host_ns(std::uint64_t ns) noexcept { report_.host_ns += ns; }
  void add_wait_ns(std::uint64_t ns) noexcept { report_.wait_ns += ns; }
  void add_device_time(const DeviceTimer::Time& time) noexcept;
  /// Adds the time that calibrating the device took. No other time of the report includes it.
  void add_calibration(std::uint64_t ns) noexcept;
  void note_not_calibrated(std::string why) { report_.not_calibrated = std::move(why); }
  void add_read(std::uint64_t bytes) noexcept { report_.bytes_read += bytes; }
  void add_write(std::uint64_t bytes) noexcept { report_.bytes_written += bytes; }
  /// Adds bytes that the host wrote while the device was at work.
  void add_overlapped(std::uint64_t bytes);

  /// Ends the run and gives its report; the next run begins.
  [[nodiscard]] RunReport finish(std::uint64_t now_ns, const InFlight::Counts& counts, Chooser& chooser,
                                 const ProgramTable& programs);

 private:
  /// Where a program is in the report. The id shows whether the program's number was given to another program since.
  struct Entry {
    std::uint64_t program = 0;  // `CompiledProgram::id`
    std::optional<std::size_t> place = {};
  };

  void add_programs(const plan::Batch& batch, const Decision& decision, const Launched& launched,
                    const ProgramTable& programs);
  [[nodiscard]] report::ProgramReport& report_of(std::uint32_t number, const CompiledProgram& program);
  void record(const policy::AuditEvent& event) noexcept { log_.record({&event, 1}); }

  RunReport report_;
  report::AuditLog log_;
  std::optional<std::uint64_t> begin_ns_;
  std::vector<Entry> entries_;  // By program number.
  std::vector<std::uint64_t> shapes_;
};

}  // namespace vyre::runtime
