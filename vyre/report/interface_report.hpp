#pragma once

#include <span>
#include <string>

#include <vyre/program/forms/form.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::report {

/// Whether a kernel has a form.
struct FormReport {
  program::FormKind kind = program::FormKind::Pointer;
  std::string refusal = {};  ///< Why the kernel does not have the form; empty if it has.

  friend bool operator==(const FormReport&, const FormReport&) = default;
};

/// The interface of a kernel, and the given forms, as text for a person.
[[nodiscard]] std::string to_text(const program::Interface& interface, std::span<const FormReport> forms = {});

/// The same as a JSON object.
[[nodiscard]] std::string to_json(const program::Interface& interface, std::span<const FormReport> forms = {});

}  // namespace vyre::report
