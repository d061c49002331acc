#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <vyre/backend/driver.hpp>

namespace vyre::backend {

/// The backends that a program can use, by name, in order of preference. The program makes a registry itself, and fills
/// it (`backends::all` does that); there is no global one.
class Registry {
 public:
  /// Adds a backend after the others. `InvalidArgument` if its name is taken, or it is null.
  [[nodiscard]] Result<void> add(std::unique_ptr<Backend> backend);
  /// The backend with a name. `InvalidArgument`, listing the names, if there is none.
  [[nodiscard]] Result<Backend*> find(std::string_view name) const;
  [[nodiscard]] std::span<const std::unique_ptr<Backend>> backends() const noexcept { return backends_; }

 private:
  std::vector<std::unique_ptr<Backend>> backends_;
};

}  // namespace vyre::backend
