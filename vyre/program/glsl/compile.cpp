#include <vyre/program/glsl/compile.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

#include <fmt/format.h>

#include <vyre/base/check.hpp>
#include <vyre/program/glsl/includes.hpp>
#include <vyre/program/glsl/limits.hpp>
#include <vyre/program/glsl/macros.hpp>
#include <vyre/program/glsl/tokens.hpp>
#include <vyre/program/glsl/tree.hpp>
#include <vyre/program/hash.hpp>
#include <vyre/program/large_stack.hpp>
#include <vyre/program/optimise.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/validate.hpp>

// glslang is built without run-time type information, which this sanitizer would need.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("vptr"))), apply_to = function)
#endif

#include <glslang/MachineIndependent/localintermediate.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <glslang/build_info.h>
#include <spirv-tools/libspirv.h>

namespace vyre::program {
namespace {

constexpr std::string_view kIncludeDirective = "#extension GL_GOOGLE_include_directive : enable\n";

/// Makes glslang's global tables, once. glslang locks them itself.
void prepare_compiler() {
  static const bool kIsReady = glslang::InitializeProcess();
  VYRE_CHECK(kIsReady, "the compiler's tables need only memory");
}

struct Version {
  int number = 0;
  EProfile profile = ECoreProfile;
};

/// The GLSL version of a kernel. Refuses versions without compute shaders: with those glslang fails to read its own
/// built-in functions, and prints long messages to the standard output.
Result<Version> read_version(const GlslText& text, std::string_view file) {
  constexpr std::string_view kNeeds = "a compute kernel needs 430, 440, 450 or 460, or 310 es or 320 es";
  const std::vector<GlslToken>& tokens = text.tokens();
  std::size_t at = 0;
  while (at < tokens.size() && tokens[at].kind == GlslTokenKind::NewLine) ++at;
  const auto token = [&](std::size_t ahead) {
    return at + ahead < tokens.size() ? tokens[at + ahead] : GlslToken{.kind = GlslTokenKind::NewLine};
  };
  if (!token(0).is("#") || !token(1).names("version")) {
    return fail(ErrorCode::CompileFailed, fmt::format("{}: the text does not begin with #version, {}", file, kNeeds));
  }
  const std::string_view number = token(2).text;
  const bool is_es = token(3).names("es");
  const std::size_t length = is_es || token(3).names("core") ? 4 : 3;
  if (token(length).kind == GlslTokenKind::NewLine) {
    constexpr std::array<std::pair<std::string_view, int>, 4> kCore = {
        {{"430", 430}, {"440", 440}, {"450", 450}, {"460", 460}}};
    constexpr std::array<std::pair<std::string_view, int>, 2> kEs = {{{"310", 310}, {"320", 320}}};
    for (const auto& [name, value] : kCore) {
      if (!is_es && number == name) return Version{.number = value, .profile = ECoreProfile};
    }
    for (const auto& [name, value] : kEs) {
      if (is_es && number == name) return Version{.number = value, .profile = EEsProfile};
    }
  }
  return fail(ErrorCode::CompileFailed,
              fmt::format("{}:{}: this #version has no compute kernels, {}", file, token(0).line, kNeeds));
}

Result<void> check_options(const GlslOptions& options) {
  VYRE_TRY(check_target(options.target));
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
  if (options.file_name.empty() || !std::ranges::all_of(options.file_name, is_plain)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("file name '{}' needs at least 1 character, and no quote, backslash or control character",
                            options.file_name));
  }
  if (!is_glsl_identifier(options.entry_point)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("entry point '{}' needs to be an identifier", options.entry_point));
  }
  for (const auto& [name, value] : options.defines) {
    if (!is_glsl_identifier(name) || name == "defined") {
      return fail(ErrorCode::InvalidArgument, fmt::format("define '{}' needs to be an identifier", name));
    }
    if (name.size() > kMaxGlslTokenBytes) {
      return fail(ErrorCode::InvalidArgument, fmt::format("define '{}' has {} bytes in its name, the limit is {}", name,
                                                          name.size(), kMaxGlslTokenBytes));
    }
    VYRE_TRY(check_glsl_bytes(value, name));
    if (value.find_first_of("\n\r") != std::string::npos || value.ends_with('\\')) {
      return fail(ErrorCode::InvalidArgument, fmt::format("the value of define '{}' needs to be one line", name));
    }
    if (value.find("/*") != std::string::npos || value.find("//") != std::string::npos) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the value of define '{}' has a comment, it needs to be without", name));
    }
  }
  return {};
}

/// Gives glslang the included files, which were read before, and counts their bytes.
class Includer final : public glslang::TShader::Includer {
 public:
  Includer(const GlslIncludes& includes, std::function<Result<std::uint64_t>(const GlslIncludedFile&)> weigh,
           std::uint64_t weight)
      : includes_{includes}, weigh_{std::move(weigh)}, own_weight_{weight}, weight_{weight} {}

  IncludeResult* includeLocal(const char* name, const char* includer, std::size_t depth) override {
    is_quoted_ = true;
    return serve(name, includer, depth);
  }

  IncludeResult* includeSystem(const char* name, const char* includer, std::size_t depth) override {
    // glslang also calls this for a quoted name if no local file was found.
    IncludeResult* result = is_quoted_ ? nullptr : serve(name, includer, depth);
    if (result == nullptr) {
      message_ = fmt::format("not found in {}", includes_.searched(includer, is_quoted_));
      result = new IncludeResult{"", message_.data(), message_.size(), nullptr};
    }
    is_quoted_ = false;
    return result;
  }

  void releaseInclude(IncludeResult* result) override { delete result; }

  /// Why an existing file was not given to glslang.
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

  void begin_again() noexcept {
    weight_ = own_weight_;
    bytes_ = 0;
  }

 private:
  IncludeResult* serve(std::string_view name, std::string_view includer, std::size_t depth) {
    const GlslIncludedFile* file = includes_.find(name, includer, is_quoted_);
    if (file == nullptr) return nullptr;
    is_quoted_ = false;
    if (Result<void> allowed = allow(*file, depth); !allowed) {
      if (!error_) error_ = std::move(allowed).error();
      message_ = "the file is not included";
      return new IncludeResult{"", message_.data(), message_.size(), nullptr};
    }
    return new IncludeResult{file->name, file->text.data(), file->text.size(), nullptr};
  }

  Result<void> allow(const GlslIncludedFile& file, std::size_t depth) {
    VYRE_TRY(file.usable);
    if (depth > kMaxGlslIncludeDepth) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: includes nest {} deep, the limit is {}", file.name, depth, kMaxGlslIncludeDepth));
    }
    bytes_ += file.text.size();
    if (bytes_ > kMaxGlslIncludedBytes) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: {} bytes are included, the limit is {}", file.name, bytes_, kMaxGlslIncludedBytes));
    }
    VYRE_ASSIGN(const std::uint64_t weight, weigh_(file));
    weight_ = saturating_add(weight_, weight);
    if (weight_ > kMaxGlslExpansion) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: the text may expand to {} tokens with this file, the limit is {}", file.name,
                              weight_, kMaxGlslExpansion));
    }
    return {};
  }

  const GlslIncludes& includes_;
  std::function<Result<std::uint64_t>(const GlslIncludedFile&)> weigh_;
  std::uint64_t own_weight_;
  std::uint64_t weight_;
  std::size_t bytes_ = 0;
  bool is_quoted_ = false;
  std::string message_;
  std::optional<Error> error_;
};

/// Makes an error from glslang's log: lines "ERROR: file:line: message", mixed with warnings and a final count.
std::unexpected<Error> compile_error(std::string_view log, std::string_view file) {
  constexpr std::string_view kError = "ERROR: ";
  Error error{.code = ErrorCode::CompileFailed};
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
    const bool is_noise = line.starts_with("WARNING:") || line.starts_with("Warning,") ||
                          line.ends_with("compilation terminated") || line.contains("No code generated");
    if (line.empty() || is_noise) continue;
    if (line.starts_with(kError)) line.remove_prefix(kError.size());
    if (error.message.empty()) {
      error.message = line;
    } else {
      error.context.emplace_back(line);
    }
  }
  if (error.message.empty()) error.message = fmt::format("{}: the compiler gives no reason", file);
  return std::unexpected{std::move(error)};
}

/// Compiles one kernel, on a thread with a large stack.
class Compilation {
 public:
  Compilation(std::string_view source, Version version, const GlslOptions& options, Includer& includer)
      : source_{source}, version_{version}, options_{options}, includer_{includer} {
    for (const auto& [name, value] : options.defines) preamble_.append(fmt::format("#define {} {}\n", name, value));
    preamble_.append(kIncludeDirective);
  }

  Result<std::vector<std::uint32_t>> run() {
    VYRE_TRY(check_preprocessed());
    VYRE_ASSIGN(std::vector<std::uint32_t> words, compile());
    const ValidationOptions validation{.target = options_.target};
    if (auto valid = validate(words, validation); !valid) {
      return in_context(std::move(valid).error(), fmt::format("while checking what '{}' compiles to", file()));
    }
    if (!options_.optimise) return words;
    std::vector<std::uint32_t> better = optimise(words, options_.target);
    return better == words || validate(better, validation) ? std::move(better) : std::move(words);
  }

 private:
  [[nodiscard]] const std::string& file() const noexcept { return options_.file_name; }

  [[nodiscard]] EShMessages rules() const noexcept {
    const auto rules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    return options_.debug_info ? static_cast<EShMessages>(rules | EShMsgDebugInfo) : rules;
  }

  void set_up(glslang::TShader& shader) {
    text_ = source_.empty() ? "" : source_.data();
    length_ = static_cast<int>(source_.size());
    name_ = file().c_str();
    shader.setStringsWithLengthsAndNames(&text_, &length_, &name_, 1);
    shader.setPreamble(preamble_.c_str());
    shader.setEntryPoint(options_.entry_point.c_str());
    shader.setSourceEntryPoint("main");
    shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
    switch (options_.target) {
      case TargetEnvironment::Vulkan11:
        shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
        shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
        break;
      case TargetEnvironment::Vulkan12:
        shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
        shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
        break;
      case TargetEnvironment::Vulkan13:
        shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
        shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
        break;
    }
    if (options_.debug_info) shader.setDebugInfo(true);
    includer_.begin_again();
  }

  std::unexpected<Error> refused(std::string_view log) const {
    if (includer_.error()) return std::unexpected{*includer_.error()};
    return compile_error(log, file());
  }

  /// Preprocesses the text, and checks the result before it is compiled.
  Result<void> check_preprocessed() {
    glslang::TShader shader{EShLangCompute};
    set_up(shader);
    std::string text;
    if (!shader.preprocess(GetDefaultResources(), version_.number, version_.profile, true, false, rules(), &text,
                           includer_)) {
      return refused(shader.getInfoLog());
    }
    // The lines of the preamble come first, the last of them as it was; the source begins behind it.
    const std::size_t last = text.find(kIncludeDirective);
    const std::size_t begin = last == std::string::npos ? 0 : last + kIncludeDirective.size();
    return check_glsl_shape(GlslText::preprocessed(std::string_view{text}.substr(begin)), file());
  }

  Result<std::vector<std::uint32_t>> compile() {
    glslang::TShader shader{EShLangCompute};
    set_up(shader);
    if (!shader.parse(GetDefaultResources(), version_.number, version_.profile, true, false, rules(), includer_)) {
      return refused(shader.getInfoLog());
    }
    glslang::TIntermediate& tree = *shader.getIntermediate();
    VYRE_TRY(check_glsl_tree(tree, file()));

    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(rules())) {
      Error error = compile_error(program.getInfoLog(), file()).error();
      error.message.insert(0, file() + ": ");
      return std::unexpected{std::move(error)};
    }
    if (options_.debug_info) {
      program.getIntermediate(EShLangCompute)->setSourceFile(name_);
      program.getIntermediate(EShLangCompute)->addSourceText(source_.data(), source_.size());
    }
    glslang::SpvOptions settings;
    settings.generateDebugInfo = options_.debug_info;
    settings.disableOptimizer = true;
    std::vector<std::uint32_t> words;
    glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &settings);
    return words;
  }

  std::string_view source_;
  Version version_;
  const GlslOptions& options_;
  Includer& includer_;
  std::string preamble_;
  // The compiler keeps pointers to these.
  const char* text_ = nullptr;
  int length_ = 0;
  const char* name_ = nullptr;
};

/// A hash of all that the words depend on.
Hash128 key_of(std::string_view source, const GlslOptions& options, GlslIncludes& includes) {
  // To be changed with what the compilation here does to a module.
  constexpr std::uint64_t kVersion = 1;
  Hasher hasher;
  hasher.add(kVersion).add(GLSLANG_VERSION_MAJOR).add(GLSLANG_VERSION_MINOR).add(GLSLANG_VERSION_PATCH);
  hasher.add(std::string_view{spvSoftwareVersionDetailsString()});
  hasher.add(source).add(options.file_name).add(options.entry_point);
  hasher.add(options.defines.size());
  for (const auto& [name, value] : options.defines) hasher.add(name).add(value);
  hasher.add(static_cast<std::uint64_t>(options.target));
  hasher.add(options.optimise ? 1 : 0).add(options.debug_info ? 1 : 0);
  hasher.add(includes.files().size());
  for (const GlslIncludedFile& file : includes.files()) {
    hasher.add(file.name).add(file.text).add(file.usable ? 1 : 0);
  }
  return hasher.finish();
}

}  // namespace

Result<std::vector<std::uint32_t>> compile_glsl(std::string_view source, const GlslOptions& options) {
  const std::string& file = options.file_name;
  VYRE_TRY(check_options(options));
  VYRE_TRY(check_glsl_bytes(source, file));
  const GlslText text = GlslText::source(source);
  VYRE_TRY(check_glsl_tokens(text, file));
  VYRE_ASSIGN(const Version version, read_version(text, file));
  GlslIncludes includes{options.include_folders};
  VYRE_TRY(includes.load(text, file));
  const Hash128 key = options.cache == nullptr ? Hash128{} : key_of(source, options, includes);
  if (options.cache != nullptr) {
    if (auto found = options.cache->find(key)) return *std::move(found);
  }

  GlslMacroBound macros;
  for (const auto& [name, value] : options.defines) macros.define(name, value);
  VYRE_TRY(macros.collect(text, file));
  for (const GlslIncludedFile& each : includes.files()) VYRE_TRY(macros.collect(each.tokens, each.name));
  VYRE_ASSIGN(const std::uint64_t weight, macros.weigh(text, file));
  Includer includer{includes, [&](const GlslIncludedFile& each) { return macros.weigh(each.tokens, each.name); },
                    weight};

  prepare_compiler();
  Result<std::vector<std::uint32_t>> words;
  VYRE_TRY(run_on_large_stack([&] { words = Compilation{source, version, options, includer}.run(); }));
  if (words && options.cache != nullptr) options.cache->put(key, *words);
  return words;
}

}  // namespace vyre::program

#if defined(__clang__)
#pragma clang attribute pop
#endif
