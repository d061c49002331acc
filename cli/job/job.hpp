#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/job/element.hpp"
#include "cli/job/number.hpp"
#include "cli/job/value.hpp"

/// A job exactly as its file has it. Nothing is checked against anything else yet: names may refer to nothing, and
/// files may not exist.
namespace vyre::cli::job {

struct Name {
  std::string text = {};
  Position at = {};
};

/// A number, or the loop variable that stands for one.
struct Quantity {
  std::variant<Number, std::string> value = std::int64_t{1};
  Position at = {};
};

/// A number, or a list of them, or a list of lists.
struct Quantities {
  Quantity number = {};
  std::vector<Quantities> list = {};
  bool is_list = false;
  Position at = {};
};

struct NamedQuantity {
  Name name = {};
  Quantity value = {};
};

struct ProgramSource {
  Name name = {};
  bool is_glsl = true;
  Name path = {};
  std::string entry_point = {};
  std::vector<std::pair<std::string, std::string>> defines = {};
  std::vector<Name> include = {};
  std::vector<NamedQuantity> values = {};
};

struct NpyContents {
  Name path = {};
};
struct RawContents {
  Name path = {};
  bool has_shape = false;
};
struct ZeroContents {};
struct FullContents {
  Number value = {};
  Position at = {};
};
struct RangeContents {
  Number start = std::int64_t{0};
  Number step = std::int64_t{1};
  Position at = {};
};
struct RandomContents {
  std::uint64_t seed = 0;
  std::optional<Number> min = {};
  std::optional<Number> max = {};
  Position at = {};
};
using Contents = std::variant<NpyContents, RawContents, ZeroContents, FullContents, RangeContents, RandomContents>;

struct BufferSource {
  Name name = {};
  ElementType type = ElementType::F32;  ///< Not used for a .npy file, which has its own type.
  Shape shape = {};                     ///< Empty if the job does not give it; then the file has it.
  Contents contents = ZeroContents{};
};

/// A buffer or a part of it, in elements.
struct View {
  Name buffer = {};
  std::optional<Quantity> offset = {};
  std::optional<Quantity> count = {};
  bool reinterpret = false;  ///< Whether it may be bound to a binding of another type.
};

struct BindingSource {
  Name name = {};
  std::vector<View> views = {};  ///< Several for an array of buffers.
};

struct ParamSource {
  Name name = {};
  Quantities value = {};
};

struct DispatchStep {
  Name program = {};
  std::vector<BindingSource> bindings = {};
  bool is_groups = false;  ///< Whether the extent is in groups, not in invocations.
  std::vector<Quantity> extent = {};
  std::vector<ParamSource> params = {};
  std::vector<NamedQuantity> values = {};
};

struct CopyStep {
  View from = {};
  View to = {};
};

struct FillStep {
  View view = {};
  Quantity value = {};
};

/// The values from `start` on, up to but not including `stop`.
struct LoopRange {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;
};

struct Loop {
  Name variable = {};
  std::variant<std::vector<Number>, LoopRange> values = {};
};

struct Step;

struct BlockStep {
  std::optional<Loop> loop = {};
  std::vector<Step> steps;
};

struct Step {
  Position at = {};
  Quantity repeat = {};
  std::optional<std::pair<Name, Name>> swap = {};  ///< The buffers that exchange their names after each repetition.
  std::variant<DispatchStep, CopyStep, FillStep, BlockStep> action = {};
};

struct Output {
  enum class Kind : std::uint8_t { Npy, Raw, Print };

  Position at = {};
  Name buffer = {};
  Kind kind = Kind::Npy;
  Name path = {};
  std::optional<std::uint64_t> print_count = {};  ///< The number of elements to print; nothing for all.
};

struct Check {
  Position at = {};
  Name buffer = {};
  Name path = {};
  bool is_raw = false;
  bool is_close = false;
  double rtol = 1e-5;
  double atol = 1e-8;
};

struct Job {
  std::string file = {};  ///< The name of the file, as it was given.
  std::string name = {};  ///< The name in the file, otherwise the name of the file.
  std::vector<ProgramSource> programs = {};
  std::vector<BufferSource> buffers = {};
  std::vector<Step> steps = {};
  std::vector<Output> outputs = {};
  std::vector<Check> checks = {};
};

}  // namespace vyre::cli::job
