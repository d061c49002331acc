#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vyre::bench {

/// Writes a value to a file, or nothing if the path is empty. Gives false, after saying why, if that fails.
inline bool write_json(const std::string& path, const nlohmann::ordered_json& value) {
  if (path.empty()) return true;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    fmt::print(stderr, "'{}' cannot be written: {}\n", path, std::strerror(errno));
    return false;
  }
  fmt::print(file, "{}\n", value.dump(2));
  std::fclose(file);
  return true;
}

}  // namespace vyre::bench
