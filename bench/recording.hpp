#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/program/forms/form.hpp>

/// Measured times of workloads in every launch mode, in a file. `bench_regret --record` writes recordings, and
/// `bench_choice --replay` runs the choice over them, so that two builds are compared on identical times.
///
/// A file is text, compressed by gzip; `zcat` shows it. Its lines, in order:
///
/// 1. `vyre-recording 1`
/// 2. The device: a JSON object with its name, configuration, signature, the date, and the calibration.
/// 3. For each workload a JSON object (name, shape, forms, planning time, load of other processes), and then a line for
///    each block: its round, the launch mode, the start in µs since the recording began, and one `wall:cpu:host` for
///    each run, in µs with three or four digits. The runs of a block followed one another at once; the first of them
///    follows a switch from another launch mode.
///
/// *wall* goes from the end of the first batch's enqueueing to the end of the wait, which is the time that a chooser
/// sees; *host* is the time of enqueueing that first batch, and *cpu* the time of all threads of the process in both.
namespace vyre::bench {

/// One run: batches of a workload that were awaited together.
struct RecordedRun {
  double wall_ns = 0;
  double cpu_ns = 0;
  double host_ns = 0;

  friend bool operator==(const RecordedRun&, const RecordedRun&) = default;
};

/// Runs in one launch mode, one after another.
struct RecordedBlock {
  std::uint32_t round = 0;  ///< In every round each launch mode has one block.
  choice::Way way = choice::Way::Batched;
  double start_ns = 0;
  std::vector<RecordedRun> runs = {};

  friend bool operator==(const RecordedBlock&, const RecordedBlock&) = default;
};

struct RecordedWorkload {
  std::string name = {};
  bool is_same = true;         ///< Whether every batch is exactly like the one before.
  std::uint32_t per_wait = 1;  ///< Batches of one run.
  choice::BatchShape shape = {};
  std::vector<choice::ProgramForms> forms = {};  ///< By kind of groups; `compiled` is as at the start of a program.
  /// By kind of groups, then by form: the time of one dispatch's kernel, where a session had learned it.
  std::vector<std::array<std::optional<double>, program::kForms>> kernels_ns = {};
  double plan_ns = 0;                      ///< Host time for planning an operation of a list that is made anew.
  double other_cores = 0;                  ///< Cores that other processes used meanwhile.
  std::vector<RecordedBlock> blocks = {};  ///< In the order in which they ran.

  friend bool operator==(const RecordedWorkload&, const RecordedWorkload&) = default;
};

struct Recording {
  std::string device = {};
  std::string configuration = {};
  std::string date = {};
  choice::Calibration calibration = {};
  std::vector<RecordedWorkload> workloads = {};

  friend bool operator==(const Recording&, const Recording&) = default;
};

/// Whether constants may be tuned on a workload. The others, about one half, are for reporting. Depends on the name
/// alone.
[[nodiscard]] bool is_for_tuning(std::string_view name) noexcept;

/// The median of several calibrations of one device, number by number: one of them alone may have been disturbed.
[[nodiscard]] choice::Calibration median_of(const std::vector<choice::Calibration>& calibrations);

/// As the lines of a file, not compressed.
[[nodiscard]] std::string to_text(const Recording& recording);
/// `Corrupt`, naming the line, for text that is no recording.
[[nodiscard]] Result<Recording> parse_recording(std::string_view text);

/// `Unavailable` if the file cannot be written or read, `Corrupt` as above.
[[nodiscard]] Result<void> write_recording(const std::string& path, const Recording& recording);
[[nodiscard]] Result<Recording> read_recording(const std::string& path);

}  // namespace vyre::bench
