#pragma once

#include <cstdint>
#include <vector>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>

/// A device and batches for the tests of this folder.
namespace vyre::choice {

/// A device on which everything is a line, and forms make no kernel slower.
inline Calibration device() {
  Calibration result;
  result.has_form = {true, true, true, true, true};
  result.way(Way::Plain) = {.fixed_ns = 1000, .slope_ns = 6000};
  result.way(Way::Batched) = {.fixed_ns = 5000, .slope_ns = 1500};
  result.way(Way::Replay) = {.fixed_ns = 4000, .slope_ns = 1000};
  result.way(Way::Merged) = {.fixed_ns = 7000, .slope_ns = 300};
  result.way(Way::MergedReplay) = {.fixed_ns = 5500, .slope_ns = 250};
  result.way(Way::Persistent) = {.fixed_ns = 9000, .slope_ns = 200};
  result.way(Way::PersistentReplay) = {.fixed_ns = 7000, .slope_ns = 150};
  result.way(Way::Chain) = {.fixed_ns = 8000, .slope_ns = 400};
  result.way(Way::ChainReplay) = {.fixed_ns = 6000, .slope_ns = 350};
  result.way(Way::Table) = {.fixed_ns = 4500, .slope_ns = 1100};
  result.record = {.fixed_ns = 2000, .slope_ns = 500};
  result.compile_ns = 100'000;
  return result;
}

inline BatchShape independent(std::uint32_t count) {
  return {.key = count, .kinds = {{.program = 1, .count = count, .resources = 2}}, .dispatches = count};
}

inline BatchShape chained(std::uint32_t count) {
  return {.key = 1'000'000 + count,
          .kinds = {{.program = 1, .groups = count, .resources = 2}},
          .dispatches = count,
          .barriers = count - 1,
          .inner_barriers = count - 1};
}

inline const std::vector<ProgramForms> kAllCompiled{
    {.possible = {true, true, true, true, true}, .compiled = {true, true, true, true, true}}};
inline const std::vector<ProgramForms> kOnlyWritten{{}};

}  // namespace vyre::choice
