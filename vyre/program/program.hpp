#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/hash.hpp>
#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/spec_override.hpp>
#include <vyre/program/spirv_cache.hpp>
#include <vyre/program/target.hpp>
#include <vyre/program/validate.hpp>

namespace vyre::program {

namespace spirv {
class Module;
}
class FormCache;

/// How to make a program from its text or words.
struct ProgramOptions {
  std::string name = {};         ///< For messages and reports; by default the name of the file.
  std::string entry_point = {};  ///< May be empty if there is only one compute entry point.
  TargetEnvironment target = TargetEnvironment::Vulkan13;

  // GLSL only.
  std::vector<std::pair<std::string, std::string>> defines = {};
  std::vector<std::filesystem::path> include_folders = {};
  bool optimise = true;
  std::shared_ptr<SpirvCache> cache = {};  ///< Where to look for the SPIR-V before compiling: `System::spirv_cache`.
};

/// Identifies a specialisation of a program. Programs with equal keys can use the same pipeline.
struct SpecKey {
  Hash128 module = {};
  Hash128 interface = {};
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  std::vector<spirv::SpecOverride> values = {};  ///< By id; only those that differ from their defaults.

  friend bool operator==(const SpecKey&, const SpecKey&) = default;
};

[[nodiscard]] Hash128 hash_of(const SpecKey& key);

/// A compute kernel that was validated and analysed. A cheap handle to immutable data. Moving it copies it, so a
/// program that was moved from can still be used.
///
/// Thread safety: all members may be called concurrently.
class Program {
 public:
  Program(const Program&) noexcept = default;
  Program& operator=(const Program&) noexcept = default;
  ~Program() = default;

  /// Takes SPIR-V words. `CompileFailed` if they are not a valid module for the target, `Unsupported` if vyre cannot
  /// run it, `InvalidArgument` if the entry point cannot be chosen.
  [[nodiscard]] static Result<Program> from_spirv(std::span<const std::uint32_t> words,
                                                  const ProgramOptions& options = {});
  /// Compiles GLSL. `CompileFailed` with file and line if the compiler refuses it, `InvalidArgument` beyond the limits
  /// of size and nesting; the rest as `from_spirv`.
  [[nodiscard]] static Result<Program> from_glsl(std::string_view source, const ProgramOptions& options = {});
  /// Reads `.spv` as SPIR-V, `.comp` and `.glsl` as GLSL. `InvalidArgument` for a file that cannot be read, or another
  /// ending.
  [[nodiscard]] static Result<Program> from_file(const std::filesystem::path& path, const ProgramOptions& options = {});

  [[nodiscard]] const std::string& name() const noexcept { return data_->name; }
  [[nodiscard]] std::span<const std::uint32_t> words() const noexcept { return data_->words; }
  [[nodiscard]] const spirv::Module& module() const noexcept { return *data_->module; }
  [[nodiscard]] const Interface& interface() const noexcept { return data_->interface; }
  /// The forms that were derived from the program. All copies of a program share them.
  [[nodiscard]] FormCache& form_cache() const noexcept { return *data_->forms; }
  /// The options with which the program was validated.
  [[nodiscard]] const ValidationOptions& validation() const noexcept { return data_->validation; }
  [[nodiscard]] Hash128 module_hash() const noexcept { return data_->module_hash; }
  [[nodiscard]] Hash128 interface_hash() const noexcept { return data_->interface_hash; }

  /// The interface with the given values instead of the defaults: sizes, workgroup, bounds of loops and accesses may
  /// differ.
  /// `InvalidArgument` as `spec_key`.
  [[nodiscard]] Result<Interface> specialise(std::span<const spirv::SpecOverride> values) const;

  /// The key of a specialisation. `InvalidArgument`, naming the constant, for an id that is not there, is given twice,
  /// or has a value beyond its type.
  [[nodiscard]] Result<SpecKey> spec_key(std::span<const spirv::SpecOverride> values = {}) const;

 private:
  struct Data {
    std::string name;
    std::vector<std::uint32_t> words;
    ValidationOptions validation;
    std::shared_ptr<const spirv::Module> module;
    Interface interface;
    Hash128 module_hash;
    Hash128 interface_hash;
    std::shared_ptr<FormCache> forms;
  };

  explicit Program(std::shared_ptr<const Data> data) noexcept : data_{std::move(data)} {}

  std::shared_ptr<const Data> data_;
};

/// Reads the words of a `.spv` file, or compiles a GLSL one, without validating or deriving anything.
[[nodiscard]] Result<std::vector<std::uint32_t>> read_program_words(const std::filesystem::path& path,
                                                                    const ProgramOptions& options);

/// A hash of everything that the host needs to know to bind and launch: slots, layouts, accesses, parameters, workgroup
/// size.
[[nodiscard]] Hash128 hash_of(const Interface& interface);

}  // namespace vyre::program
