#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/plan/batch.hpp>
#include <vyre/plan/plan.hpp>
#include <vyre/runtime/program_table.hpp>

namespace vyre::runtime {

/// Alike groups of a shape. A session names their program by its number, the tuner by an id.
struct ShapeKind {
  std::uint32_t program = 0;
  std::uint32_t count = 0;  ///< Dispatches of one group.
  std::uint32_t size_class = 0;

  friend bool operator==(const ShapeKind&, const ShapeKind&) = default;
};

/// The shape of a batch, and beside each kind of groups in it the kind with the session's number of the program.
struct BatchDescription {
  choice::BatchShape shape = {};
  std::vector<ShapeKind> kinds = {};
};

/// The kind of a group of dispatches of a planned batch.
[[nodiscard]] ShapeKind kind_of(const plan::Plan& plan, const plan::Group& group, const backend::CommandList& batch,
                                const ProgramTable& programs);

/// Describes a planned batch in `description`, whose memory is reused. Kinds beyond the 32nd are counted with the 32nd.
void describe(const plan::Plan& plan, const plan::Batch& batch, const ProgramTable& programs,
              BatchDescription& description);

}  // namespace vyre::runtime
