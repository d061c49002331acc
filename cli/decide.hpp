#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Reads bytes into a buffer and returns their number, 0 at the end of the input. May read less than fits.
using Source = std::function<Result<std::size_t>(std::span<char>)>;
/// Writes all of the text, or fails.
using Sink = std::function<Result<void>(std::string_view)>;

/// The longest line in bytes. A longer one is refused, and the next line is read as usual.
inline constexpr std::size_t kMaxDecideLine = std::size_t{16} << 20;

struct DecideSummary {
  std::uint64_t lines = 0;
  std::uint64_t bad_lines = 0;
};

/// Answers every line of `source` with one line to `sink`, in order, in memory that does not grow with their number.
///
/// A line with a mistake, also an empty line, is answered by an error line. All lines that were read are answered
/// before more input is read, so that another program can send a question through a pipe and wait for its answer. Fails
/// only if the source or the sink fails.
[[nodiscard]] Result<DecideSummary> decide(const Source& source, const Sink& sink);

/// Adds `vyre decide` to the command line.
void add_decide(CLI::App& app, Action& action);

}  // namespace vyre::cli
