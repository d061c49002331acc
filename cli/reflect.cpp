#include "cli/reflect.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/program.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/validate.hpp>
#include <vyre/report/interface_report.hpp>

#include "cli/file.hpp"

namespace vyre::cli {
namespace {

/// What was typed for `vyre reflect`.
struct ReflectArguments {
  std::string path = {};
  std::string entry_point = {};
  std::string target = "vulkan1.3";
  std::vector<std::string> defines = {};
  std::vector<std::string> include_folders = {};
  bool scalar_layout = false;
  bool unoptimised = false;
  bool json = false;
};

Result<program::ProgramOptions> to_options(const ReflectArguments& arguments) {
  const std::optional<program::TargetEnvironment> target = program::parse_target(arguments.target);
  if (!target) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--target is '{}', it takes vulkan1.1, vulkan1.2 or vulkan1.3", arguments.target));
  }
  program::ProgramOptions options{.entry_point = arguments.entry_point,
                                  .target = *target,
                                  .scalar_layout = arguments.scalar_layout,
                                  .optimise = !arguments.unoptimised};
  for (const std::string& define : arguments.defines) {
    const std::size_t equals = define.find('=');
    const bool has_value = equals != std::string::npos;
    options.defines.emplace_back(define.substr(0, equals), has_value ? define.substr(equals + 1) : "1");
  }
  options.include_folders.assign(arguments.include_folders.begin(), arguments.include_folders.end());
  return options;
}

Result<program::Interface> derive(const ReflectArguments& arguments) {
  VYRE_ASSIGN(const program::ProgramOptions options, to_options(arguments));
  VYRE_ASSIGN(const std::vector<std::uint32_t> words, program::read_program_words(arguments.path, options));
  VYRE_TRY(program::validate(words, {.target = options.target, .scalar_layout = options.scalar_layout}));
  VYRE_ASSIGN(const program::spirv::Module module, program::spirv::Module::read(words));
  return program::reflect(module, options.entry_point);
}

Result<int> run(const ReflectArguments& arguments) {
  Result<program::Interface> interface = derive(arguments);
  if (!interface) {
    return in_context(std::move(interface).error(), fmt::format("while reflecting '{}'", arguments.path));
  }
  VYRE_TRY(standard_output().write(arguments.json ? report::to_json(*interface) + "\n" : report::to_text(*interface)));
  return kExitSuccess;
}

}  // namespace

void add_reflect(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reflect", "Show what a compute kernel is: its interface, accesses and loops");
  command->footer(
      "FILE is GLSL (.comp, .glsl) or SPIR-V (.spv). What vyre cannot run is listed as unsupported, with the "
      "reason.\n\n"
      "Example:\n"
      "  vyre reflect saxpy.comp -D BLOCK=64 --json");
  auto arguments = std::make_shared<ReflectArguments>();
  command->add_option("FILE", arguments->path, "The kernel")->required();
  command->add_option("--entry-point", arguments->entry_point, "Which compute entry point, if there are several");
  command->add_option("--target", arguments->target, "vulkan1.1, vulkan1.2 or vulkan1.3")->capture_default_str();
  command->add_option("-D,--define", arguments->defines, "NAME or NAME=VALUE, for GLSL")->allow_extra_args(false);
  command->add_option("-I,--include", arguments->include_folders, "A folder to include from, for GLSL")
      ->allow_extra_args(false);
  command->add_flag("--scalar-layout", arguments->scalar_layout, "Allow blocks laid out as scalars are");
  command->add_flag("--unoptimised", arguments->unoptimised, "Compile GLSL without optimising");
  command->add_flag("--json", arguments->json, "For a program instead of a person");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
