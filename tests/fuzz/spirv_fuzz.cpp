#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <vyre/base/check.hpp>
#include <vyre/plan/binding_plan.hpp>
#include <vyre/program/program.hpp>
#include <vyre/program/reflect.hpp>

// Any words at all, validated and not: reading, deriving and planning end with a result or an error.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vyre;
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(std::uint32_t));

  // Unvalidated: the reader and everything behind it must stand what the validator would have refused.
  if (const auto module = program::spirv::Module::read(words)) {
    VYRE_CHECK(module->write() == words, "what was read is written back word for word");
    if (const auto interface = program::reflect(*module)) {
      const auto plan = plan::plan_program_bindings(*interface, {});
      VYRE_CHECK(plan.has_value() || plan.error().code == ErrorCode::Unsupported, "a plan is made or refused");
      static_cast<void>(program::hash_of(*interface));
    }
  }

  // Validated: a module that passes is read, or refused as unsupported.
  const auto program = program::Program::from_spirv(words);
  VYRE_CHECK(program.has_value() || program.error().code != ErrorCode::Internal, "bad words are no internal error");
  return 0;
}
