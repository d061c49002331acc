#include "tests/support/inlined_access.hpp"

#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace vyre::tests {
namespace {

using program::Access;

/// Instructions as the disassembler writes them: "%9 = OpLoad %6 %8" is {"%9", "OpLoad", "%6", "%8"}, and an
/// instruction without a result begins with an empty word.
std::vector<std::vector<std::string>> disassemble(const std::vector<std::uint32_t>& words) {
  const spvtools::SpirvTools tools{SPV_ENV_UNIVERSAL_1_6};
  std::string text;
  EXPECT_TRUE(tools.Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER));
  std::vector<std::vector<std::string>> instructions;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream{line};
    std::vector<std::string> instruction;
    for (std::string word; stream >> word;) instruction.push_back(word);
    if (instruction.size() > 1 && instruction[1] == "=") {
      instruction.erase(instruction.begin() + 1);
    } else {
      instruction.insert(instruction.begin(), "");
    }
    instructions.push_back(std::move(instruction));
  }
  return instructions;
}

std::vector<std::uint32_t> inline_everything(const std::vector<std::uint32_t>& words) {
  spvtools::Optimizer optimizer{SPV_ENV_UNIVERSAL_1_6};
  optimizer.SetMessageConsumer([](spv_message_level_t level, const char* /*source*/, const spv_position_t& /*position*/,
                                  const char* message) { EXPECT_GT(level, SPV_MSG_ERROR) << message; });
  optimizer.RegisterPass(spvtools::CreateInlineExhaustivePass());
  optimizer.RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
  std::vector<std::uint32_t> inlined;
  EXPECT_TRUE(optimizer.Run(words.data(), words.size(), &inlined));
  return inlined;
}

class Origins {
 public:
  explicit Origins(const std::vector<std::vector<std::string>>& instructions) {
    for (const auto& instruction : instructions) {
      if (!instruction[0].empty()) definitions_[instruction[0]] = instruction;
    }
  }

  /// Every variable that a pointer can point into.
  std::set<std::string> of(const std::string& pointer) {
    std::set<std::string> found;
    std::set<std::string> visited;
    collect(pointer, found, visited);
    return found;
  }

 private:
  void collect(const std::string& pointer, std::set<std::string>& found, std::set<std::string>& visited) {
    if (!visited.insert(pointer).second) return;
    const std::vector<std::string>& definition = definitions_[pointer];
    if (definition.size() < 3) return;
    const std::string& op = definition[1];
    if (op == "OpVariable") found.insert(pointer);
    if (op.ends_with("AccessChain") || op == "OpCopyObject") collect(definition[3], found, visited);
    if (op == "OpSelect") {
      collect(definition[4], found, visited);
      collect(definition[5], found, visited);
    }
    if (op == "OpPhi") {
      for (std::size_t i = 3; i < definition.size(); i += 2) collect(definition[i], found, visited);
    }
  }

  std::map<std::string, std::vector<std::string>> definitions_;
};

}  // namespace

std::map<std::pair<std::uint32_t, std::uint32_t>, Access> inlined_access(const std::vector<std::uint32_t>& words) {
  const std::vector<std::vector<std::string>> instructions = disassemble(inline_everything(words));
  Origins origins{instructions};
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> places;
  std::map<std::string, Access> by_variable;
  const auto touch = [&](const std::string& pointer, Access access) {
    for (const std::string& variable : origins.of(pointer)) by_variable[variable] = by_variable[variable] | access;
  };
  for (const auto& instruction : instructions) {
    const std::string& op = instruction[1];
    if (op == "OpDecorate" && instruction[3] == "DescriptorSet") {
      places[instruction[2]].first = static_cast<std::uint32_t>(std::stoul(instruction[4]));
    }
    if (op == "OpDecorate" && instruction[3] == "Binding") {
      places[instruction[2]].second = static_cast<std::uint32_t>(std::stoul(instruction[4]));
    }
    if (op == "OpLoad") touch(instruction[3], Access::Read);
    if (op == "OpStore") touch(instruction[2], Access::Write);
    if (op == "OpCopyMemory") {
      touch(instruction[2], Access::Write);
      touch(instruction[3], Access::Read);
    }
    if (op == "OpAtomicStore") touch(instruction[2], Access::Write);
    if (op.starts_with("OpAtomic") && op != "OpAtomicStore") {
      touch(instruction[3], op == "OpAtomicLoad" ? Access::Read : Access::ReadWrite);
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Access> result;
  for (const auto& [variable, access] : by_variable) {
    if (places.contains(variable)) result[places[variable]] = result[places[variable]] | access;
  }
  return result;
}

}  // namespace vyre::tests
