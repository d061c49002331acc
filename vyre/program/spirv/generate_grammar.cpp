// Writes the tables of the SPIR-V grammar from the machine-readable grammar of spirv-headers.
//
//   generate_grammar spirv.core.grammar.json OUTPUT_FOLDER
//
// The build runs this program; it never sees a user's input.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

std::uint32_t number(const json& value) {
  return value.is_string() ? static_cast<std::uint32_t>(std::stoul(value.get<std::string>(), nullptr, 0))
                           : value.get<std::uint32_t>();
}

/// Lists of operands, each written once and referred to by its first index and length.
class OperandLists {
 public:
  struct Range {
    std::size_t first;
    std::size_t count;
  };

  Range add(const json& operands) {
    const Range range{entries_.size(), operands.size()};
    for (const json& operand : operands) {
      const std::string quantifier = operand.value("quantifier", "");
      entries_.push_back("{OperandKind::" + operand.at("kind").get<std::string>() + ", Quantifier::" +
                         (quantifier == "?"   ? "Optional"
                          : quantifier == "*" ? "Any"
                                              : "One") +
                         "}");
    }
    return range;
  }

  void write(std::ostream& out) const {
    out << "constexpr OperandSpec kOperandSpecs[] = {\n";
    for (const std::string& entry : entries_) out << "    " << entry << ",\n";
    out << "};\n\n";
  }

 private:
  std::vector<std::string> entries_;
};

void write_opcodes(std::ostream& out, const json& grammar, OperandLists& lists) {
  std::map<std::uint32_t, json> by_opcode;  // Aliases share an opcode; the first name is the canonical one.
  for (const json& instruction : grammar.at("instructions")) {
    by_opcode.try_emplace(number(instruction.at("opcode")), instruction);
  }
  out << "constexpr OpcodeInfo kOpcodes[] = {\n";
  for (const auto& [opcode, instruction] : by_opcode) {
    const json operands = instruction.value("operands", json::array());
    const auto starts_with = [&](std::size_t at, const char* kind) {
      return operands.size() > at && operands[at].at("kind") == kind;
    };
    const bool has_type = starts_with(0, "IdResultType");
    const bool has_result = starts_with(has_type ? 1 : 0, "IdResult");
    const auto is_id = [](const json& operand) { return operand.at("kind").get<std::string>().starts_with("Id"); };
    const auto required =
        std::ranges::find_if(operands, [](const json& operand) { return operand.contains("quantifier"); });
    const auto leading = std::find_if_not(operands.begin(), required, is_id);
    const bool only_ids_follow = std::all_of(required, operands.end(), is_id) && required != operands.end() &&
                                 std::next(required) == operands.end() && required->at("quantifier") == "*";
    const OperandLists::Range range = lists.add(operands);
    out << "    {" << instruction.at("opname") << ", " << opcode << ", " << range.first << ", " << range.count << ", "
        << (has_type ? "true" : "false") << ", " << (has_result ? "true" : "false") << ", "
        << required - operands.begin() << ", " << leading - operands.begin() << ", "
        << (only_ids_follow ? "true" : "false") << "},\n";
  }
  out << "};\n\n";
}

void write_enumerants(std::ostream& out, const json& grammar, OperandLists& lists) {
  std::map<std::tuple<std::size_t, std::uint32_t>, std::string> rows;
  std::size_t kind_index = 0;
  for (const json& kind : grammar.at("operand_kinds")) {
    for (const json& enumerant : kind.value("enumerants", json::array())) {
      const std::uint32_t value = number(enumerant.at("value"));
      if (rows.contains({kind_index, value})) continue;
      const OperandLists::Range range = lists.add(enumerant.value("parameters", json::array()));
      std::ostringstream row;
      row << "    {OperandKind::" << kind.at("kind").get<std::string>() << ", " << value << "U, " << range.first << ", "
          << range.count << ", " << enumerant.at("enumerant") << "},\n";
      rows.try_emplace({kind_index, value}, row.str());
    }
    ++kind_index;
  }
  out << "constexpr Enumerant kEnumerants[] = {\n";
  for (const auto& [key, row] : rows) out << row;
  out << "};\n\n";
}

/// Collects the names of all extensions that the grammar gives for instructions and enumerants.
void find_extensions(const json& value, std::set<std::string>& names) {
  if (value.is_object() && value.contains("extensions")) {
    for (const json& name : value.at("extensions")) names.insert(name.get<std::string>());
  }
  if (!value.is_structured()) return;
  for (const json& part : value) find_extensions(part, names);
}

void write_extensions(std::ostream& out, const json& grammar) {
  std::set<std::string> names;
  find_extensions(grammar, names);
  out << "constexpr std::string_view kExtensions[] = {\n";
  for (const std::string& name : names) out << "    \"" << name << "\",\n";
  out << "};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: generate_grammar GRAMMAR.json OUTPUT_FOLDER\n";
    return 2;
  }
  std::ifstream file{argv[1]};
  const json grammar = json::parse(file);
  const std::string folder = argv[2];

  std::ofstream kinds{folder + "/vyre_spirv_operand_kinds.inc"};
  for (const json& kind : grammar.at("operand_kinds")) {
    kinds << "VYRE_OPERAND_KIND(" << kind.at("kind").get<std::string>() << ", "
          << kind.at("category").get<std::string>() << ")\n";
  }

  OperandLists lists;
  std::ostringstream tables;
  write_opcodes(tables, grammar, lists);
  write_enumerants(tables, grammar, lists);
  write_extensions(tables, grammar);
  std::ofstream out{folder + "/vyre_spirv_tables.inc"};
  lists.write(out);
  out << tables.str();
  return kinds && out ? 0 : 1;
}
