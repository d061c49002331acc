#include "cli/decide.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/file.hpp"
#include "cli/policy_json.hpp"

namespace vyre::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;

/// Splits the bytes of a source into lines, in one buffer that grows to the size of the longest line.
class LineBuffer {
 public:
  LineBuffer() : bytes_(kChunk + PolicyResponder::kPadding) {}

  /// The memory for the next bytes. Empty if a line fills the buffer at its largest size.
  [[nodiscard]] std::span<char> room() {
    if (begin_ > 0) {
      std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      searched_ -= begin_;
      begin_ = 0;
    }
    if (capacity() == end_)
      bytes_.resize(std::min(2 * capacity(), kMaxDecideLine + kChunk) + PolicyResponder::kPadding);
    return {bytes_.data() + end_, capacity() - end_};
  }
  void commit(std::size_t count) { end_ += count; }

  /// Gives the next whole line, without its newline. simdjson's padding after it is readable.
  [[nodiscard]] bool next(std::string_view& line) {
    const auto* newline = static_cast<const char*>(std::memchr(bytes_.data() + searched_, '\n', end_ - searched_));
    if (newline == nullptr) {
      searched_ = end_;
      return false;
    }
    const auto at = static_cast<std::size_t>(newline - bytes_.data());
    line = {bytes_.data() + begin_, at - begin_};
    begin_ = searched_ = at + 1;
    return true;
  }

  /// The text after the last newline.
  [[nodiscard]] std::string_view rest() const { return {bytes_.data() + begin_, end_ - begin_}; }
  void drop_rest() { begin_ = searched_ = end_; }

 private:
  [[nodiscard]] std::size_t capacity() const { return bytes_.size() - PolicyResponder::kPadding; }

  std::vector<char> bytes_;
  std::size_t begin_ = 0;     // Where the current line begins.
  std::size_t searched_ = 0;  // The bytes between `begin_` and this were searched and have no newline.
  std::size_t end_ = 0;
};

Error too_long() {
  return {.code = ErrorCode::InvalidArgument,
          .message = fmt::format("the line has more than {} bytes, that is the limit", kMaxDecideLine)};
}

class Decider {
 public:
  explicit Decider(const Sink& sink) : sink_{sink} {}

  Result<void> answer(std::string_view line) {
    ++summary_.lines;
    if (line.size() > kMaxDecideLine) {
      refuse(too_long());
    } else if (Result<void> answered = responder_.answer(line, out_); !answered) {
      refuse(answered.error());
    }
    return out_.size() < kChunk ? Result<void>{} : flush();
  }

  Result<void> flush() {
    if (out_.empty()) return {};
    VYRE_TRY(sink_(out_));
    out_.clear();
    return {};
  }

  [[nodiscard]] DecideSummary summary() const { return summary_; }

 private:
  void refuse(const Error& error) {
    ++summary_.bad_lines;
    append_error_line(out_, error, summary_.lines);
  }

  const Sink& sink_;
  PolicyResponder responder_;
  std::string out_;
  DecideSummary summary_;
};

}  // namespace

Result<DecideSummary> decide(const Source& source, const Sink& sink) {
  LineBuffer lines;
  Decider decider{sink};
  bool overlong = false;  // Whether the current line was refused for its length and its end was not read yet.
  for (;;) {
    VYRE_ASSIGN(const std::size_t count, source(lines.room()));
    if (count == 0) break;
    lines.commit(count);
    for (std::string_view line; lines.next(line); overlong = false) {
      if (!overlong) VYRE_TRY(decider.answer(line));
    }
    if (lines.rest().size() > kMaxDecideLine) {
      if (!overlong) VYRE_TRY(decider.answer(lines.rest()));
      overlong = true;
      lines.drop_rest();
    }
    VYRE_TRY(decider.flush());
  }
  if (!overlong && !lines.rest().empty()) VYRE_TRY(decider.answer(lines.rest()));
  VYRE_TRY(decider.flush());
  return decider.summary();
}

void add_decide(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("decide", "Answer policy questions, one JSON object per line");
  command->footer(
      "A question is {\"policy\": NAME, \"in\": {...}}, its answer {\"policy\": NAME, \"out\": {...}}. Policies:\n"
      "persistent_kernel, command_reuse, trace_jit, arm_independence, copy_overlap, bindless, primary_mode,\n"
      "dispatch_bundle, graph_capture. A bad line is answered by {\"error\": {\"code\", \"message\", \"line\"}} and "
      "makes\n"
      "the exit code 2 at the end.\n\n"
      "Example:\n"
      "  echo "
      "'{\"policy\":\"bindless\",\"in\":{\"resource_count\":40,\"support\":\"full\",\"dynamic_indexing\":true}}' "
      "| vyre decide");
  auto path = std::make_shared<std::string>("-");
  command->add_option("FILE", *path, "JSON lines; - is standard input")->default_str("-");
  command->callback([path, &action] {
    action = [path]() -> Result<int> {
      VYRE_ASSIGN(const File input, open_input(*path));
      VYRE_ASSIGN(const DecideSummary summary,
                  decide([&](std::span<char> room) { return input.read(room); },
                         [](std::string_view text) { return standard_output().write(text); }));
      return summary.bad_lines == 0 ? kExitSuccess : kExitInvalidArgument;
    };
  });
}

}  // namespace vyre::cli
