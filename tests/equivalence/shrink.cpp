#include "tests/equivalence/shrink.hpp"

#include <algorithm>
#include <utility>

namespace vyre::tests {

RandomProgram shrink(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails) {
  int attempts = 1'000;
  for (std::size_t length = std::max<std::size_t>(program.operations.size() / 2, 1); length > 0;) {
    bool got_shorter = false;
    for (std::size_t begin = 0; begin < program.operations.size() && attempts > 0;) {
      RandomProgram shorter = program;
      const auto first = shorter.operations.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::size_t count = std::min(length, shorter.operations.size() - begin);
      shorter.operations.erase(first, first + static_cast<std::ptrdiff_t>(count));
      --attempts;
      if (fails(shorter)) {
        program = std::move(shorter);
        got_shorter = true;
      } else {
        begin += length;
      }
    }
    if (!got_shorter || length > 1) length /= 2;
  }
  return program;
}

}  // namespace vyre::tests
