#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <vyre/backend/driver.hpp>

namespace vyre::backend {

/// Backends by name, in order of preference. An object that whoever composes a program fills; there is no global one.
class Registry {
 public:
  /// Adds a backend behind the others. `InvalidArgument` if its name is taken, or it is null.
  [[nodiscard]] Result<void> add(std::unique_ptr<Backend> backend);
  /// The backend of a name. `InvalidArgument`, naming those there are.
  [[nodiscard]] Result<Backend*> find(std::string_view name) const;
  [[nodiscard]] std::span<const std::unique_ptr<Backend>> backends() const noexcept { return backends_; }

 private:
  std::vector<std::unique_ptr<Backend>> backends_;
};

}  // namespace vyre::backend
