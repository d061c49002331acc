#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <vyre/base/check.hpp>
#include <vyre/program/forms/form.hpp>
#include <vyre/program/program.hpp>
#include <vyre/program/spirv/module.hpp>

// Any module that a program can be made of: every form of it is valid, or refused because of what the kernel does.

namespace {

using namespace vyre::program;

void derive_all(const Program& program) {
  for (const FormKind kind : {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain}) {
    for (const bool robust : {true, false}) {
      for (const std::uint32_t fold : {0U, 8U}) {
        for (const bool quirks : {false, true}) {
          const FormOptions options{
              .robust = robust,
              .fold = fold,
              .pairs = quirks,
              .quirks = {.component_loads = quirks, .float_operands = quirks, .values_of_loops = quirks}};
          const auto form = derive_form(program, kind, options);
          if (form) continue;
          const std::string& message = form.error().message;
          const bool is_refused = form.error().code == vyre::ErrorCode::Unsupported &&
                                  message.find("the rewritten module is not valid") == std::string::npos;
          if (!is_refused) std::fprintf(stderr, "%s\n", to_string(form.error()).c_str());
          VYRE_CHECK(is_refused, "a form is valid, or refused because of the kernel");
        }
      }
    }
  }
}

std::vector<std::uint32_t> to_words(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(std::uint32_t));
  return words;
}

/// Changes a module so that it often stays one: any bytes almost never do.
class Mutator {
 public:
  Mutator(const spirv::Module& module, unsigned seed) : module_{module}, random_{seed}, words_{module.write()} {}

  std::vector<std::uint32_t> mutate() {
    const spirv::Instruction at = pick();
    const std::span<const std::uint32_t> words = at.words();
    const auto place = static_cast<std::ptrdiff_t>(offset_of(at));
    const auto length = static_cast<std::ptrdiff_t>(words.size());
    switch (below(5)) {
      case 0:  // Another word of the module, of an instruction of the same kind if there is one.
      case 1: {
        if (words.size() < 2) break;
        std::span<const std::uint32_t> other = pick().words();
        for (int i = 0; i < 50 && (other[0] & 0xffff) != (words[0] & 0xffff); ++i) other = pick().words();
        const std::size_t index = 1 + below(words.size() - 1);
        words_[static_cast<std::size_t>(place) + index] = other[std::min(index, other.size() - 1)];
        break;
      }
      case 2: {
        if (words.size() < 2) break;
        std::uint32_t& word = words_[static_cast<std::size_t>(place) + 1 + below(words.size() - 1)];
        word = below(2) == 0 ? word + static_cast<std::uint32_t>(below(7)) - 3
                             : static_cast<std::uint32_t>(1 + below(module_.id_bound()));
        break;
      }
      case 3: words_.erase(words_.begin() + place, words_.begin() + place + length); break;
      default: {  // A copy of another instruction, with a result of its own.
        const spirv::Instruction other = pick();
        std::vector<std::uint32_t> copy{other.words().begin(), other.words().end()};
        if (other.result() != 0) copy[other.type() != 0 ? 2 : 1] = words_[3]++;
        words_.insert(words_.begin() + place, copy.begin(), copy.end());
        break;
      }
    }
    return std::move(words_);
  }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random_); }
  spirv::Instruction pick() { return module_[below(module_.size())]; }
  [[nodiscard]] std::size_t offset_of(const spirv::Instruction& instruction) const {
    constexpr std::size_t kHeaderWords = 5;
    return kHeaderWords + static_cast<std::size_t>(instruction.words().data() - module_[0].words().data());
  }

  const spirv::Module& module_;
  std::minstd_rand random_;
  std::vector<std::uint32_t> words_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto program = Program::from_spirv(to_words(data, size))) derive_all(*program);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  const auto module = spirv::Module::read(to_words(data, size));
  std::vector<std::uint32_t> words;
  if (module && module->size() != 0) {
    words = Mutator{*module, seed}.mutate();
  } else {
    words = to_words(data, size);
    if (!words.empty()) words[seed % words.size()] ^= 1U << (seed >> 16) % 32;
  }
  if (words.size() * sizeof(std::uint32_t) > max_size) return size;
  std::memcpy(data, words.data(), words.size() * sizeof(std::uint32_t));
  return words.size() * sizeof(std::uint32_t);
}
