#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <vyre/backend/check.hpp>
#include <vyre/program/program.hpp>

#include "cli/job/job.hpp"

namespace vyre::cli::job {

/// A specialisation of a program, with what is needed to bind and launch it.
struct ProgramForm {
  std::vector<program::spirv::SpecOverride> values = {};  ///< By id.
  program::Interface interface = {};
  std::vector<backend::RangeRule> rules = {};  ///< The buffers of a dispatch, in order.
  std::vector<bool> writes = {};               ///< Of each rule, whether the program may write there.
  /// By rule: the element type, if the binding is just an array of scalars or vectors.
  std::vector<std::optional<program::ScalarType>> elements = {};
};

[[nodiscard]] Result<ProgramForm> make_form(const program::Program& program,
                                            std::vector<program::spirv::SpecOverride> values);

/// The value of a quantity, with the loop variables of the moment.
using Resolve = std::function<Result<Number>(const Quantity&)>;

/// The specialisation values that a job gives, as bits by id. If a constant is given twice, the last value counts.
[[nodiscard]] Result<std::vector<program::spirv::SpecOverride>> to_overrides(std::string_view file,
                                                                             const program::Program& program,
                                                                             std::span<const NamedQuantity> values,
                                                                             const Resolve& resolve);

/// The push constants of a dispatch as the program lays them out. Every member must be given.
[[nodiscard]] Result<std::vector<std::byte>> lay_out_params(std::string_view file, const program::Program& program,
                                                            const ProgramForm& form, const Step& step,
                                                            std::span<const ParamSource> params,
                                                            const Resolve& resolve);

/// The views of a dispatch in the order of the form's rules. Every binding that the program needs must be given; the
/// view of one that is not given is null.
[[nodiscard]] Result<std::vector<const View*>> order_views(std::string_view file, const program::Program& program,
                                                           const ProgramForm& form, const Step& step,
                                                           std::span<const BindingSource> bindings);

}  // namespace vyre::cli::job
