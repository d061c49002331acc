#pragma once

#include <span>
#include <string>

#include <vyre/program/forms/form.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::report {

/// Whether a kernel has a form.
struct FormReport {
  program::FormKind kind = program::FormKind::Pointer;
  std::string refusal = {};  ///< Why it has not; empty if it has.

  friend bool operator==(const FormReport&, const FormReport&) = default;
};

/// What was derived from a kernel, laid out for a person. Forms that were not asked for are not mentioned.
[[nodiscard]] std::string to_text(const program::Interface& interface, std::span<const FormReport> forms = {});

/// The same as one JSON object, for a program.
[[nodiscard]] std::string to_json(const program::Interface& interface, std::span<const FormReport> forms = {});

}  // namespace vyre::report
