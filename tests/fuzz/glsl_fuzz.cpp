#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <vyre/base/check.hpp>
#include <vyre/program/glsl/compile.hpp>
#include <vyre/program/validate.hpp>

// Any bytes at all: the compiler comes back, and what it makes is valid. The first byte chooses target and options, so
// that a text can be read in all of them; behind it, the text.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vyre::program;
  if (size == 0) return 0;
  constexpr TargetEnvironment kTargets[] = {TargetEnvironment::Vulkan13, TargetEnvironment::Vulkan11,
                                            TargetEnvironment::Vulkan12};
  const GlslOptions options{.defines = {{"VYRE", "1"}},
                            .target = kTargets[data[0] % 3],
                            .optimise = (data[0] & 4) == 0,
                            .debug_info = (data[0] & 8) != 0};
  const std::string_view source{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto words = compile_glsl(source, options);
  if (words) {
    VYRE_CHECK(validate(*words, {.target = options.target}).has_value(), "what compiles is valid");
  } else {
    VYRE_CHECK(!words.error().message.empty(), "every refusal has a reason");
  }
  return 0;
}
