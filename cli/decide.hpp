#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Fills part of a buffer and returns how much; 0 at the end. May return less than there is room for.
using Source = std::function<Result<std::size_t>(std::span<char>)>;
/// Takes all of the text, or fails.
using Sink = std::function<Result<void>(std::string_view)>;

/// A longer line is refused; the lines behind it are not.
inline constexpr std::size_t kMaxDecideLine = std::size_t{16} << 20;

struct DecideSummary {
  std::uint64_t lines = 0;
  std::uint64_t bad_lines = 0;
};

/// Answers every line of `source` with one line to `sink`, in order, in memory that does not grow with their number.
///
/// A bad line, an empty one included, gets an error line. What was read is answered before more is asked for, so that a
/// program at the other end of a pipe can hold a conversation. Fails only if the source or the sink does.
[[nodiscard]] Result<DecideSummary> decide(const Source& source, const Sink& sink);

/// Adds `vyre decide` to the command line.
void add_decide(CLI::App& app, Action& action);

}  // namespace vyre::cli
