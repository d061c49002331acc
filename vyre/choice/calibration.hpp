#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <vyre/choice/line.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/program/forms/form.hpp>

namespace vyre::choice {

/// What a form makes of a kernel, beside the descriptor form.
struct FormRatios {
  double narrow = 1;   ///< The time of a kernel of one workgroup.
  double wide = 1;     ///< The time of one of many.
  double compile = 1;  ///< What compiling it takes.

  friend bool operator==(const FormRatios&, const FormRatios&) = default;
};

/// What was measured of a device before anything was run on it. Lines go over the number of dispatches of a kernel that
/// does next to nothing, each on buffers of its own; until all of them are done.
struct Calibration {
  std::string device = {};
  std::string signature = {};                          ///< Of the device, its driver and its configuration.
  std::array<Line, kWays> ways = {};                   ///< By `Way`; of a way that the device does not have, zeros.
  Line record = {};                                    ///< Making a recording, over the launches in it.
  Line copy = {};                                      ///< One copy within a list, over its bytes.
  double barrier_ns = 0;                               ///< One barrier within a list, above a dispatch without.
  std::array<FormRatios, program::kForms> forms = {};  ///< By `FormKind`.
  std::array<bool, program::kForms> has_form = {true};
  /// By `FormKind`: the time between timestamps before and after a launch of dispatches of that kernel, over their
  /// number. Zeros for forms that the device does not have, and on a device without timestamps.
  std::array<Line, program::kForms> timed = {};
  double compile_ns = 0;  ///< A small kernel in the descriptor form, until it can run.
  Line bound = {};        ///< A dispatch in a list made anew, over the buffers that it binds.
  Line table = {};        ///< A dispatch through a table, over the buffers in it.
  /// Buffers from which a table costs less than bindings, or cannot be bound; nothing if there are no tables.
  std::optional<std::uint32_t> bindless_crossover = {};
  std::uint64_t took_ns = 0;
  std::uint32_t samples = 0;
  std::uint32_t dropped = 0;  ///< Of the samples: two clocks disagreed, or they stood far out.

  [[nodiscard]] const Line& way(Way which) const noexcept { return ways[static_cast<std::size_t>(which)]; }
  [[nodiscard]] Line& way(Way which) noexcept { return ways[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const FormRatios& form(program::FormKind kind) const noexcept {
    return forms[static_cast<std::size_t>(kind)];
  }
  /// Whether the device has timestamps.
  [[nodiscard]] bool can_time() const noexcept { return timed[0] != Line{}; }
  [[nodiscard]] bool has(program::FormKind kind) const noexcept { return has_form[static_cast<std::size_t>(kind)]; }

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace vyre::choice
