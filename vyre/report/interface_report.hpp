#pragma once

#include <string>

#include <vyre/program/interface.hpp>

namespace vyre::report {

/// What was derived from a kernel, laid out for a person.
[[nodiscard]] std::string to_text(const program::Interface& interface);

/// The same as one JSON object, for a program.
[[nodiscard]] std::string to_json(const program::Interface& interface);

}  // namespace vyre::report
