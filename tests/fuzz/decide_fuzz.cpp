#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <vyre/base/check.hpp>

#include "cli/decide.hpp"

// Any bytes at all: one line of valid JSON comes out for every line that went in, whatever the size of the reads.

namespace {

std::string decide(std::string_view input, std::size_t piece) {
  std::string output;
  const auto summary = vyre::cli::decide(
      [&](std::span<char> room) -> vyre::Result<std::size_t> {
        const std::size_t count = std::min({piece, room.size(), input.size()});
        input.copy(room.data(), count);
        input.remove_prefix(count);
        return count;
      },
      [&](std::string_view text) -> vyre::Result<void> {
        output.append(text);
        return {};
      });
  VYRE_CHECK(summary.has_value(), "neither source nor sink fails here");
  return output;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input{reinterpret_cast<const char*>(data), size};
  const std::string output = decide(input, 1U << 20);
  const bool unfinished = !input.empty() && input.back() != '\n';
  VYRE_CHECK(std::ranges::count(output, '\n') == std::ranges::count(input, '\n') + (unfinished ? 1 : 0),
             "a line comes out for every line that goes in");
  VYRE_CHECK(decide(input, 7) == output, "the size of the reads does not matter");
  simdjson::dom::parser parser;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = output.find('\n', begin);
    VYRE_CHECK(parser.parse(output.substr(begin, end - begin)).error() == simdjson::SUCCESS, "every answer is JSON");
    begin = end + 1;
  }
  return 0;
}
