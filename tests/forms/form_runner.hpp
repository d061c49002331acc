#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/program/forms/form.hpp>

namespace vyre::tests {

using Contents = std::vector<std::vector<std::byte>>;

/// One dispatch: what it is given.
struct FormItem {
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  Contents buffers = {};  ///< By set, slot and element.
  std::vector<std::byte> params = {};
};

/// What a launch left behind.
struct FormOutcome {
  std::vector<Contents> contents = {};  ///< Of each item.
  std::string touched = {};             ///< What was changed around the views; empty if nothing was.
};

/// The Vulkan device, inside the checking driver. `Unavailable` where there is none.
[[nodiscard]] Result<std::unique_ptr<backend::Device>> open_form_device(const backend::DeviceOptions& options = {});

/// Runs items in one list, each on buffers of its own that lie amid bytes nobody may touch.
[[nodiscard]] Result<FormOutcome> run_items(backend::Device& device, backend::PipelineHandle pipeline,
                                            const std::vector<FormItem>& items);

/// Whether the items are short enough for the form of a pipeline: their parameters may bound its loops.
[[nodiscard]] bool do_fit(const backend::Device& device, backend::PipelineHandle pipeline,
                          const std::vector<FormItem>& items);

/// What differs; empty if nothing does.
[[nodiscard]] std::string difference(const std::vector<Contents>& actual, const std::vector<Contents>& expected);

}  // namespace vyre::tests
