#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/oracle.hpp"
#include "tests/equivalence/random_program.hpp"

namespace vyre::tests {

/// Where a session reads to: to be kept until it has finished.
using ReadBytes = std::vector<std::vector<std::byte>>;

/// Tells a session a program and compares every read, whenever it is due, and every buffer at the end. Gives what
/// differs first, or "". The error of the first call that should have succeeded.
///
/// Bytes given to `write` are overwritten as soon as it returned.
[[nodiscard]] Result<std::string> run_program(runtime::Session& session, const RandomProgram& program,
                                              const Expected& expected, ReadBytes& reads);
/// The same; after an error it finishes the session, whatever comes of it.
[[nodiscard]] Result<std::string> run_program(runtime::Session& session, const RandomProgram& program,
                                              const Expected& expected);

/// A dispatch as a session takes it.
[[nodiscard]] Result<void> dispatch(runtime::Session& session, const Call& call,
                                    std::span<const runtime::BufferView> buffers);

}  // namespace vyre::tests
