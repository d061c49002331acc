#include <vyre/program/glsl/includes.hpp>

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/glsl/limits.hpp>

namespace vyre::program {
namespace {

/// Whether a name is acceptable: a quote or a line end in it would break the `#line` that names the file.
bool is_sound(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view{"\"\\\n\r\0", 5}) == std::string_view::npos;
}

std::string key(const std::filesystem::path& place, std::string_view name) {
  return (place / name).lexically_normal().generic_string();
}

}  // namespace

GlslIncludes::GlslIncludes(std::span<const std::filesystem::path> folders) : folders_{folders.begin(), folders.end()} {}

std::vector<std::filesystem::path> GlslIncludes::places(std::string_view includer, bool is_quoted) const {
  std::vector<std::filesystem::path> places;
  if (is_quoted) {
    std::filesystem::path own = std::filesystem::path{includer}.parent_path();
    places.push_back(own.empty() ? std::filesystem::path{"."} : std::move(own));
  }
  places.insert(places.end(), folders_.begin(), folders_.end());
  return places;
}

Result<void> GlslIncludes::read(const std::filesystem::path& path) {
  if (files_.size() == kMaxGlslIncludedFiles) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: the kernel may include {} files, the limit is {}", path.generic_string(),
                            kMaxGlslIncludedFiles + 1, kMaxGlslIncludedFiles));
  }
  GlslIncludedFile& file = files_.emplace_back();
  file.name = path.generic_string();
  known_.emplace(file.name, &file);

  std::ifstream stream{path, std::ios::binary};
  // Reads one byte more than allowed, to notice a file that is too long, also if it grows or has no known size.
  file.text.resize(kMaxGlslBytes + 1);
  stream.read(file.text.data(), static_cast<std::streamsize>(file.text.size()));
  file.text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad() || !stream.eof()) {
    if (file.text.size() <= kMaxGlslBytes) {
      file.usable = fail(ErrorCode::Unavailable, fmt::format("{}: the file cannot be read", file.name));
      return {};
    }
  }
  file.usable = check_glsl_bytes(file.text, file.name);
  if (!file.usable) {
    file.text.clear();
    return {};
  }
  file.text.shrink_to_fit();
  bytes_ += file.text.size();
  if (bytes_ > kMaxGlslIncludedBytes) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: the kernel may include {} bytes, the limit is {}",
                                                        file.name, bytes_, kMaxGlslIncludedBytes));
  }
  file.tokens = GlslText::source(file.text);
  file.usable = check_glsl_tokens(file.tokens, file.name);
  return {};
}

Result<void> GlslIncludes::load(const GlslText& text, std::string_view file) {
  std::vector<std::pair<const GlslText*, std::string>> open = {{&text, std::string{file}}};
  while (!open.empty()) {
    const auto [tokens, includer] = std::move(open.back());
    open.pop_back();
    for (const GlslToken& token : tokens->tokens()) {
      if (token.kind != GlslTokenKind::Included) continue;
      const std::string_view name = token.text.substr(1, token.text.size() - 2);
      if (!is_sound(name)) continue;
      for (const std::filesystem::path& place : places(includer, token.text[0] == '"')) {
        const std::string path = key(place, name);
        if (known_.contains(path)) break;
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) continue;
        VYRE_TRY(read(path));
        if (files_.back().usable) open.emplace_back(&files_.back().tokens, files_.back().name);
        break;
      }
    }
  }
  return {};
}

const GlslIncludedFile* GlslIncludes::find(std::string_view name, std::string_view includer, bool is_quoted) const {
  if (!is_sound(name)) return nullptr;
  for (const std::filesystem::path& place : places(includer, is_quoted)) {
    if (const auto found = known_.find(key(place, name)); found != known_.end()) return found->second;
  }
  return nullptr;
}

std::string GlslIncludes::searched(std::string_view includer, bool is_quoted) const {
  const std::vector<std::filesystem::path> all = places(includer, is_quoted);
  if (all.empty()) return "any folder, since none is given";
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 0) text.append(i + 1 == all.size() ? " and " : ", ");
    text.append(fmt::format("'{}'", all[i].generic_string()));
  }
  return text;
}

}  // namespace vyre::program
