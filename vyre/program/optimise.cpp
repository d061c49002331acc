#include <vyre/program/optimise.hpp>

#include <string>
#include <string_view>
#include <unordered_map>

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <spirv/unified1/spirv.hpp>

#include <vyre/program/environment.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/header.hpp>

namespace vyre::program {
namespace {

// The time of the passes grows with the square of the blocks, and by about 30 µs per instruction.
constexpr std::uint64_t kMaxBlocks = 2'048;
constexpr std::uint64_t kMaxInstructions = 65'536;

struct Function {
  std::uint64_t instructions = 0;
  std::uint64_t blocks = 0;
  std::vector<std::uint32_t> calls = {};
  std::size_t next_call = 0;
  bool is_open = false;
  bool is_done = false;
};

using Functions = std::unordered_map<std::uint32_t, Function>;

Functions read_functions(std::span<const std::uint32_t> words) {
  Functions functions;
  Function* current = nullptr;
  for (std::span<const std::uint32_t> rest = words.subspan(spirv::kHeaderWords); !rest.empty();) {
    const std::size_t length = rest[0] >> 16;
    if (length == 0 || length > rest.size()) break;
    const auto op = static_cast<spv::Op>(rest[0] & 0xffff);
    if (op == spv::OpFunction && length > 2) current = &functions[rest[2]];
    if (current != nullptr) {
      ++current->instructions;
      if (op == spv::OpLabel) ++current->blocks;
      if (op == spv::OpFunctionCall && length > 3) current->calls.push_back(rest[3]);
    }
    rest = rest.subspan(length);
  }
  return functions;
}

/// Whether the module stays below the limits if every call is inlined.
bool stays_small(std::span<const std::uint32_t> words) {
  Functions functions = read_functions(words);
  std::uint64_t instructions = 0;
  std::uint64_t blocks = 0;
  for (auto& [id, root] : functions) {
    std::vector<Function*> open = {&root};
    while (!open.empty()) {
      Function& function = *open.back();
      function.is_open = true;
      if (function.is_done || function.next_call == function.calls.size()) {
        function.is_open = false;
        function.is_done = true;
        open.pop_back();
        continue;
      }
      const auto callee = functions.find(function.calls[function.next_call]);
      if (callee == functions.end() || callee->second.is_open) return false;
      if (!callee->second.is_done) {
        open.push_back(&callee->second);
        continue;
      }
      ++function.next_call;
      function.instructions = saturating_add(function.instructions, callee->second.instructions);
      function.blocks = saturating_add(function.blocks, callee->second.blocks);
    }
    instructions = saturating_add(instructions, root.instructions);
    blocks = saturating_add(blocks, root.blocks);
  }
  return instructions <= kMaxInstructions && blocks <= kMaxBlocks;
}

}  // namespace

std::vector<std::uint32_t> optimise(std::span<const std::uint32_t> words, TargetEnvironment target) {
  std::vector<std::uint32_t> given{words.begin(), words.end()};
  if (words.size() < spirv::kHeaderWords || !stays_small(words)) return given;

  spvtools::Optimizer performance{to_environment(target)};
  performance.RegisterPerformancePasses();
  spvtools::Optimizer optimizer{to_environment(target)};
  optimizer.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
  for (const std::string_view name : performance.GetPassNames()) {
    if (name == "loop-unroll") continue;
    if (!optimizer.RegisterPassFromFlag(std::string{"--"}.append(name))) return given;
  }

  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  options.set_preserve_bindings(true);
  options.set_preserve_spec_constants(true);
  options.set_max_id_bound(spirv::kMaxIdBound);
  std::vector<std::uint32_t> result;
  if (!optimizer.Run(given.data(), given.size(), &result, options)) return given;
  return result;
}

}  // namespace vyre::program
