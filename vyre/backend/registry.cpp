#include <vyre/backend/registry.hpp>

#include <string>
#include <utility>

#include <fmt/format.h>

namespace vyre::backend {

Result<void> Registry::add(std::unique_ptr<Backend> backend) {
  if (backend == nullptr) return fail(ErrorCode::InvalidArgument, "a backend that is null is added to a registry");
  for (const std::unique_ptr<Backend>& other : backends_) {
    if (other->name() == backend->name()) {
      return fail(ErrorCode::InvalidArgument, fmt::format("there is a backend '{}' already", backend->name()));
    }
  }
  backends_.push_back(std::move(backend));
  return {};
}

Result<Backend*> Registry::find(std::string_view name) const {
  std::string names;
  for (const std::unique_ptr<Backend>& backend : backends_) {
    if (backend->name() == name) return backend.get();
    names.append(names.empty() ? "" : ", ").append(backend->name());
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("there is no backend '{}', there is {}", name, names.empty() ? "none at all" : names));
}

}  // namespace vyre::backend
