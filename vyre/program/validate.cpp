#include <vyre/program/validate.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <spirv-tools/libspirv.hpp>
#include <spirv/unified1/spirv.hpp>

#include <vyre/program/environment.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/grammar.hpp>
#include <vyre/program/spirv/header.hpp>

namespace vyre::program {
namespace {

using spirv::kHeaderWords;
using spirv::kMaxModuleBytes;

// The time of SPIRV-Tools grows faster than the module in these numbers. Each limit keeps its part of the time to a
// second or two, and is far beyond what kernels have.
constexpr std::uint64_t kMaxEntryPoints = 1'024;
constexpr std::uint64_t kMaxFunctions = 4'096;
constexpr std::uint64_t kMaxBlocks = 8'192;
constexpr std::uint64_t kMaxPlainTypes = 2'048;
constexpr std::uint64_t kMaxTypeDepth = 255;
constexpr std::uint64_t kMaxStructMembers = 16'384;     // flattened
constexpr std::uint64_t kMaxTypedMembers = 16'777'216;  // flattened, summed over the instructions of such a type
constexpr std::uint64_t kMaxLayoutSteps = 1'048'576;    // summed over the variables
constexpr std::uint64_t kMaxGroupDecorations = 16'777'216;
constexpr std::uint64_t kMaxNestingSteps = 67'108'864;  // blocks × depth², summed over the functions
constexpr std::uint32_t kMaxControlFlowNesting = 320;
// The longest line of a message that shows an instruction; some instructions have thousands of operands.
constexpr std::size_t kMaxContextBytes = 256;
// To make names in messages unique, SPIRV-Tools tries one number after another.
constexpr std::uint64_t kMaxNameSteps = 1'048'576;
constexpr std::uint64_t kMaxRepeatSteps = 4'194'304;
constexpr std::size_t kMaxNamedWords = 16'384;
// The layout of an array of structures is checked for elements until the offset is a multiple of 16.
constexpr std::uint64_t kLayoutElements = 16;

/// Adds up what makes the validator slow, in one pass over instructions that need not be valid.
class Scale {
 public:
  Result<void> add(std::span<const std::uint32_t> instruction) {
    const auto op = static_cast<spv::Op>(instruction[0] & 0xffff);
    const std::span<const std::uint32_t> operands = instruction.subspan(1);
    if (operands.empty()) return {};
    switch (op) {
      case spv::OpName: name_steps_ += ++names_[hash(op, operands.subspan(1))]; return {};
      case spv::OpConstant:
      case spv::OpConstantTrue:
      case spv::OpConstantFalse:
        if (operands.size() < 2) return {};
        return repeat(hash(op, operands.subspan(2)) ^ operands[0]);
      case spv::OpEntryPoint: return count(entry_points_, 1, kMaxEntryPoints, "entry points");
      case spv::OpDecorate:
      case spv::OpMemberDecorate:
      case spv::OpDecorateId:
      case spv::OpDecorateString:
      case spv::OpMemberDecorateString: ++decorations_; return {};
      case spv::OpGroupDecorate:
      case spv::OpGroupMemberDecorate:
        return count(group_decorations_, saturating_mul(decorations_, operands.size() - 1), kMaxGroupDecorations,
                     "decorations in groups");
      case spv::OpTypeArray:
      case spv::OpTypeRuntimeArray: VYRE_TRY(repeat(hash(op, operands.subspan(1)))); return add_type(op, operands);
      case spv::OpTypeStruct: return add_type(op, operands);
      case spv::OpTypePointer:
      case spv::OpTypeFunction:
        VYRE_TRY(count(plain_types_, 1, kMaxPlainTypes, "types"));
        return add_type(op, operands);
      case spv::OpTypeVoid:
      case spv::OpTypeBool:
      case spv::OpTypeInt:
      case spv::OpTypeFloat:
      case spv::OpTypeVector:
      case spv::OpTypeMatrix:
      case spv::OpTypeImage:
      case spv::OpTypeSampler:
      case spv::OpTypeSampledImage: return count(plain_types_, 1, kMaxPlainTypes, "types");
      case spv::OpFunction:
        VYRE_TRY(count(functions_, 1, kMaxFunctions, "functions"));
        VYRE_TRY(end_function());
        break;
      case spv::OpLabel: return enter_block(operands[0]);
      case spv::OpSelectionMerge:
      case spv::OpLoopMerge:
        merges_.push_back(operands[0]);
        depth_ = std::max<std::uint64_t>(depth_, merges_.size());
        return {};
      case spv::OpVariable:
        VYRE_TRY(count(layout_steps_, type(operands[0]).layout, kMaxLayoutSteps, "members in all variables"));
        break;
      default: break;
    }
    // In most instructions this operand is the type. In others it is not found among the types, or only counts too
    // much.
    if (const auto found = types_.find(operands[0]); found != types_.end()) {
      return count(typed_members_, found->second.members, kMaxTypedMembers, "members in all values");
    }
    return {};
  }

  /// Whether the names of a module would make its messages slow.
  [[nodiscard]] bool has_too_many_names() const noexcept { return name_steps_ > kMaxNameSteps; }

  Result<void> end_function() {
    const std::uint64_t steps = saturating_mul(saturating_mul(depth_, depth_), blocks_ - blocks_before_);
    blocks_before_ = blocks_;
    depth_ = 0;
    merges_.clear();
    return count(nesting_steps_, steps, kMaxNestingSteps, "blocks times the square of their nesting");
  }

 private:
  struct Type {
    std::uint64_t members = 1;
    std::uint64_t layout = 1;
    std::uint64_t depth = 1;
    bool is_struct = false;
  };

  static Result<void> count(std::uint64_t& sum, std::uint64_t more, std::uint64_t limit, std::string_view what) {
    sum = saturating_add(sum, more);
    if (sum <= limit) return {};
    return fail(ErrorCode::InvalidArgument, fmt::format("module has {} {}, the limit is {}", sum, what, limit));
  }

  static std::size_t hash(spv::Op op, std::span<const std::uint32_t> words) {
    const std::span<const std::byte> bytes = std::as_bytes(words);
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    return std::hash<std::string_view>{}(text) ^ static_cast<std::size_t>(op);
  }

  Result<void> repeat(std::size_t key) {
    return count(repeat_steps_, ++repeats_[key], kMaxRepeatSteps, "steps to name repeated constants and arrays");
  }

  [[nodiscard]] Type type(std::uint32_t id) const {
    const auto found = types_.find(id);
    return found == types_.end() ? Type{} : found->second;
  }

  Result<void> add_type(spv::Op op, std::span<const std::uint32_t> operands) {
    Type made{.members = 0, .layout = 0, .depth = 0, .is_struct = op == spv::OpTypeStruct};
    const bool is_array = op == spv::OpTypeArray || op == spv::OpTypeRuntimeArray;
    std::span<const std::uint32_t> parts = operands.subspan(1);
    if (is_array && !parts.empty()) parts = parts.first(1);
    if (op == spv::OpTypePointer && !parts.empty()) parts = parts.subspan(1);
    for (const std::uint32_t id : parts) {
      const Type part = type(id);
      made.members = saturating_add(made.members, part.members);
      made.layout = saturating_add(
          made.layout, is_array && part.is_struct ? saturating_mul(part.layout, kLayoutElements) : part.layout);
      made.depth = std::max(made.depth, part.depth);
    }
    ++made.depth;
    if (made.members > kMaxStructMembers) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("type {} has {} members, those of its members included, the limit is {}", operands[0],
                              made.members, kMaxStructMembers));
    }
    if (made.depth > kMaxTypeDepth) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("type {} is {} types deep, the limit is {}", operands[0], made.depth, kMaxTypeDepth));
    }
    types_.insert_or_assign(operands[0], made);
    return {};
  }

  Result<void> enter_block(std::uint32_t label) {
    VYRE_TRY(count(blocks_, 1, kMaxBlocks, "blocks"));
    const auto left = std::ranges::find(merges_, label);
    merges_.erase(left, merges_.end());
    return {};
  }

  std::unordered_map<std::uint32_t, Type> types_;
  std::unordered_map<std::size_t, std::uint64_t> names_;
  std::unordered_map<std::size_t, std::uint64_t> repeats_;
  std::uint64_t name_steps_ = 0;
  std::uint64_t repeat_steps_ = 0;
  std::vector<std::uint32_t> merges_;  // of the constructs around the current block
  std::uint64_t entry_points_ = 0;
  std::uint64_t functions_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t blocks_before_ = 0;
  std::uint64_t depth_ = 0;
  std::uint64_t nesting_steps_ = 0;
  std::uint64_t plain_types_ = 0;
  std::uint64_t typed_members_ = 0;
  std::uint64_t layout_steps_ = 0;
  std::uint64_t decorations_ = 0;
  std::uint64_t group_decorations_ = 0;
};

/// Calls `see` with every instruction, until it returns false or an instruction has length 0 or exceeds the module.
template <typename See>
void for_each_instruction(std::span<const std::uint32_t> words, const See& see) {
  std::span<const std::uint32_t> rest = words.subspan(kHeaderWords);
  while (!rest.empty()) {
    const std::size_t length = rest[0] >> 16;
    if (length == 0 || length > rest.size() || !see(rest.first(length))) break;
    rest = rest.subspan(length);
  }
}

bool is_name(std::span<const std::uint32_t> instruction) {
  const auto op = static_cast<spv::Op>(instruction[0] & 0xffff);
  return op == spv::OpName || op == spv::OpMemberName;
}

std::vector<std::uint32_t> without_names(std::span<const std::uint32_t> words) {
  std::vector<std::uint32_t> kept{words.begin(), words.begin() + kHeaderWords};
  kept.reserve(words.size());
  std::size_t passed = kHeaderWords;
  for_each_instruction(words, [&](std::span<const std::uint32_t> each) {
    if (!is_name(each)) kept.insert(kept.end(), each.begin(), each.end());
    passed += each.size();
    return true;
  });
  // Keeps words that cannot be read, so that the validator reports them.
  kept.insert(kept.end(), words.begin() + static_cast<std::ptrdiff_t>(passed), words.end());
  return kept;
}

/// The word at which the instruction with a number starts; the first instruction has number 1.
std::size_t word_of(std::span<const std::uint32_t> words, std::size_t number, bool has_names) {
  std::size_t word = kHeaderWords;
  std::size_t passed = 0;
  for_each_instruction(words, [&](std::span<const std::uint32_t> each) {
    if ((has_names || !is_name(each)) && ++passed >= number) return false;
    word += each.size();
    return true;
  });
  return word;
}

/// The error of a message that may have several lines: the first is the message, the others its context.
std::unexpected<Error> invalid(std::string_view place, std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  Error error{.code = ErrorCode::CompileFailed,
              .message = fmt::format("module is invalid{}: {}", place, text.substr(0, end))};
  for (text.remove_prefix(end); !text.empty();) {
    text.remove_prefix(1);
    const std::size_t next = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, next);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) error.context.emplace_back(line.substr(0, kMaxContextBytes));
    text.remove_prefix(next);
  }
  return std::unexpected{std::move(error)};
}

std::unexpected<Error> newer(std::string_view what) {
  return fail(ErrorCode::Unsupported,
              fmt::format("module has {}, which is newer than SPIR-V {}.{} revision {}, the newest that is known here",
                          what, spv::Version >> 16, spv::Version >> 8 & 0xff, spv::Revision));
}

/// Refuses a module whose version, or one of whose instructions, is newer than vyre's grammar.
Result<void> check_age(std::span<const std::uint32_t> words) {
  if (words[1] > spv::Version) return newer(fmt::format("the version {}.{}", words[1] >> 16, words[1] >> 8 & 0xff));
  Result<void> known;
  std::size_t word = kHeaderWords;
  for_each_instruction(words, [&](std::span<const std::uint32_t> each) {
    const auto op = static_cast<spv::Op>(each[0] & 0xffff);
    const auto has = [&](spirv::OperandKind kind) {
      return each.size() < 2 || !spirv::enumerant_name(kind, each[1]).empty();
    };
    if (spirv::find_opcode(op) == nullptr) {
      known = newer(fmt::format("an instruction with opcode {} at word {}", static_cast<std::uint32_t>(op), word));
    } else if (op == spv::OpCapability && !has(spirv::OperandKind::Capability)) {
      known = newer(fmt::format("the capability {}", each[1]));
    } else if (op == spv::OpSource && !has(spirv::OperandKind::SourceLanguage)) {
      known = newer(fmt::format("the source language {}", each[1]));
    }
    word += each.size();
    return known.has_value();
  });
  return known;
}

/// Refuses a module that declares an unknown extension; the validator would ignore the declaration.
Result<void> check_extensions(std::span<const std::uint32_t> words) {
  Result<void> known;
  for_each_instruction(words, [&](std::span<const std::uint32_t> each) {
    const auto op = static_cast<spv::Op>(each[0] & 0xffff);
    if (op == spv::OpExtension) {
      const auto* text = reinterpret_cast<const char*>(each.data() + 1);
      const std::string_view name{text, ::strnlen(text, (each.size() - 1) * sizeof(std::uint32_t))};
      if (!spirv::is_known_extension(name)) {
        known = newer(fmt::format("the extension '{}'", name.substr(0, kMaxContextBytes)));
      }
    }
    // All extensions are declared before this instruction.
    return known.has_value() && op != spv::OpMemoryModel;
  });
  return known;
}

/// One run of the validator.
struct Verdict {
  bool is_valid = false;
  std::string message = {};
  std::size_t instruction = 0;  ///< The number of the wrong instruction, from 1; 0 if the message is about none.
};

Verdict run_validator(TargetEnvironment target, const spvtools::ValidatorOptions& settings,
                      std::span<const std::uint32_t> words) {
  Verdict verdict;
  spvtools::SpirvTools tools{to_environment(target)};
  tools.SetMessageConsumer(
      [&](spv_message_level_t level, const char* /*source*/, const spv_position_t& position, const char* message) {
        if (level >= SPV_MSG_WARNING) return;
        verdict.message = message;
        verdict.instruction = position.index;
      });
  verdict.is_valid = tools.Validate(words.data(), words.size(), settings);
  return verdict;
}

void set_layout(spvtools::ValidatorOptions& settings, BlockLayout layout) {
  settings.SetUniformBufferStandardLayout(layout != BlockLayout::Standard);
  settings.SetScalarBlockLayout(layout == BlockLayout::Scalar);
}

}  // namespace

Result<BlockLayout> validate(std::span<const std::uint32_t> words, const ValidationOptions& options) {
  VYRE_TRY(check_target(options.target));
  VYRE_TRY(spirv::check_header(words));
  Scale scale;
  Result<void> small_enough;
  for_each_instruction(words, [&](std::span<const std::uint32_t> each) {
    small_enough = scale.add(each);
    return small_enough.has_value();
  });
  VYRE_TRY(std::move(small_enough));
  VYRE_TRY(scale.end_function());
  VYRE_TRY(check_extensions(words));

  spvtools::ValidatorOptions settings;
  settings.SetUniversalLimit(spv_validator_limit_max_id_bound, spirv::kMaxIdBound);
  settings.SetUniversalLimit(spv_validator_limit_max_control_flow_nesting_depth, kMaxControlFlowNesting);
  settings.SetFriendlyNames(false);
  const bool has_names = !scale.has_too_many_names();
  const std::vector<std::uint32_t> nameless = has_names ? std::vector<std::uint32_t>{} : without_names(words);
  const std::span<const std::uint32_t> checked = has_names ? words : nameless;
  const auto run = [&](BlockLayout layout) {
    set_layout(settings, layout);
    return run_validator(options.target, settings, checked);
  };
  BlockLayout layout = BlockLayout::Standard;
  Verdict verdict = run(layout);
  if (!verdict.is_valid && options.loosest != BlockLayout::Standard) {
    // Runs once more with the loosest layout rules, to find out whether only the layout is wrong.
    layout = options.loosest;
    verdict = run(layout);
    if (verdict.is_valid && layout == BlockLayout::Scalar && run(BlockLayout::UniformStandard).is_valid) {
      layout = BlockLayout::UniformStandard;
    }
  }
  if (verdict.is_valid) return layout;
  VYRE_TRY(check_age(words));
  if (has_names && words.size() <= kMaxNamedWords) {
    settings.SetFriendlyNames(true);
    verdict = run(layout);
  }
  if (verdict.message.empty()) return invalid("", "the validator gives no reason");
  const std::size_t number = verdict.instruction;
  return invalid(number == 0 ? "" : fmt::format(" at word {}", word_of(words, number, has_names)), verdict.message);
}

Result<std::vector<std::uint32_t>> to_words(std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxModuleBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("module has {} bytes, the limit is {}", bytes.size(), kMaxModuleBytes));
  }
  if (bytes.size() % sizeof(std::uint32_t) != 0) {
    return fail(ErrorCode::CompileFailed, fmt::format("module has {} bytes, it needs a multiple of 4", bytes.size()));
  }
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace vyre::program
