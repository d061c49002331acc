#include "cli/reflect.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/forms/form.hpp>
#include <vyre/program/program.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/validate.hpp>
#include <vyre/report/interface_report.hpp>

#include "cli/file.hpp"
#include "cli/job/output_file.hpp"

namespace vyre::cli {
namespace {

/// The options of `vyre reflect`.
struct ReflectArguments {
  std::string path = {};
  std::string entry_point = {};
  std::string target = "vulkan1.3";
  std::vector<std::string> defines = {};
  std::vector<std::string> include_folders = {};
  bool unoptimised = false;
  bool json = false;
  std::string form = {};  ///< The form to write; empty to describe the kernel.
  std::string output = {};
  std::uint32_t fold = 0;
  bool unchecked = false;
};

constexpr std::array kOtherForms{program::FormKind::Pointer, program::FormKind::Merged, program::FormKind::Persistent,
                                 program::FormKind::Chain};

Result<program::ProgramOptions> to_options(const ReflectArguments& arguments) {
  const std::optional<program::TargetEnvironment> target = program::parse_target(arguments.target);
  if (!target) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--target is '{}', it takes vulkan1.1, vulkan1.2 or vulkan1.3", arguments.target));
  }
  program::ProgramOptions options{
      .entry_point = arguments.entry_point, .target = *target, .optimise = !arguments.unoptimised};
  for (const std::string& define : arguments.defines) {
    const std::size_t equals = define.find('=');
    const bool has_value = equals != std::string::npos;
    options.defines.emplace_back(define.substr(0, equals), has_value ? define.substr(equals + 1) : "1");
  }
  options.include_folders.assign(arguments.include_folders.begin(), arguments.include_folders.end());
  return options;
}

/// Whether a kernel has each form. Empty for a kernel that cannot run.
std::vector<report::FormReport> find_forms(std::span<const std::uint32_t> words,
                                           const program::ProgramOptions& options) {
  std::vector<report::FormReport> forms;
  const Result<program::Program> program = program::Program::from_spirv(words, options);
  for (const program::FormKind kind : kOtherForms) {
    report::FormReport& form = forms.emplace_back(report::FormReport{.kind = kind});
    if (!program) {
      form.refusal = program.error().message;
    } else if (const auto derived = derive_form(*program, kind); !derived) {
      form.refusal = derived.error().message;
    }
  }
  return forms;
}

Result<void> show(const ReflectArguments& arguments) {
  VYRE_ASSIGN(const program::ProgramOptions options, to_options(arguments));
  VYRE_ASSIGN(const std::vector<std::uint32_t> words, program::read_program_words(arguments.path, options));
  VYRE_ASSIGN(const program::BlockLayout block_layout, program::validate(words, {.target = options.target}));
  VYRE_ASSIGN(const program::spirv::Module module, program::spirv::Module::read(words));
  VYRE_ASSIGN(program::Interface interface, program::reflect(module, options.entry_point));
  interface.block_layout = block_layout;
  const std::vector<report::FormReport> forms = find_forms(words, options);
  return standard_output().write(arguments.json ? report::to_json(interface, forms) + "\n"
                                                : report::to_text(interface, forms));
}

Result<program::FormKind> to_form(const ReflectArguments& arguments) {
  const std::optional<program::FormKind> kind = program::parse_form(arguments.form);
  if (!kind || *kind == program::FormKind::Descriptor) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--form is '{}', it takes pointer, merged, persistent or chain", arguments.form));
  }
  if (*kind == program::FormKind::Pointer && arguments.fold != 0) {
    return fail(ErrorCode::InvalidArgument, "--fold is for merged, persistent and chain, --form is 'pointer'");
  }
  return *kind;
}

Result<void> write_form(const ReflectArguments& arguments) {
  VYRE_ASSIGN(const program::FormKind kind, to_form(arguments));
  const bool is_standard = arguments.output == "-";
  if (is_standard && ::isatty(STDOUT_FILENO) == 1) {
    return fail(ErrorCode::InvalidArgument, "--output is standard output, which is a terminal; a module is not text");
  }
  VYRE_ASSIGN(const program::ProgramOptions options, to_options(arguments));
  VYRE_ASSIGN(const program::Program program, program::Program::from_file(arguments.path, options));
  VYRE_ASSIGN(const program::Form form,
              derive_form(program, kind, {.robust = !arguments.unchecked, .fold = arguments.fold}));
  const std::span<const std::byte> bytes = std::as_bytes(std::span{form.words});
  if (is_standard) return standard_output().write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  VYRE_ASSIGN(job::OutputFile file, job::OutputFile::create(arguments.output, bytes.size()));
  VYRE_TRY(file.write(bytes));
  VYRE_TRY(file.sync());
  return file.commit();
}

Result<int> run(const ReflectArguments& arguments) {
  if (auto done = arguments.form.empty() ? show(arguments) : write_form(arguments); !done) {
    return in_context(std::move(done).error(), fmt::format("while reflecting '{}'", arguments.path));
  }
  return kExitSuccess;
}

}  // namespace

void add_reflect(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("reflect", "Show the interface, accesses, loops and forms of a compute kernel");
  command->footer(
      "FILE is GLSL (.comp, .glsl) or SPIR-V (.spv). Features that vyre cannot run, and forms that the kernel does "
      "not\n"
      "have, are listed as unsupported, with the reason. A device may refuse further forms. --form writes a form as\n"
      "SPIR-V.\n\n"
      "Examples:\n"
      "  vyre reflect saxpy.comp -D BLOCK=64 --json\n"
      "  vyre reflect saxpy.comp --form merged -o saxpy_merged.spv");
  auto arguments = std::make_shared<ReflectArguments>();
  command->add_option("FILE", arguments->path, "The kernel")->required();
  command->add_option("--entry-point", arguments->entry_point, "The entry point to read, if there are several")
      ->check(check_not_empty);
  command->add_option("--target", arguments->target, "vulkan1.1, vulkan1.2 or vulkan1.3")->capture_default_str();
  command->add_option("-D,--define", arguments->defines, "NAME or NAME=VALUE, for GLSL")->allow_extra_args(false);
  command->add_option("-I,--include", arguments->include_folders, "A folder to include from, for GLSL")
      ->allow_extra_args(false);
  command->add_flag("--unoptimised", arguments->unoptimised, "Compile GLSL without optimising");
  CLI::Option* json = command->add_flag("--json", arguments->json, "Print JSON");
  CLI::Option* form =
      command->add_option("--form", arguments->form, "Write this form: pointer, merged, persistent or chain");
  CLI::Option* output =
      command->add_option("-o,--output", arguments->output, "Where to write it; - for standard output");
  form->needs(output)->excludes(json);
  output->needs(form);
  command->add_flag("--unchecked", arguments->unchecked, "Leave accesses outside of views undefined")->needs(form);
  command
      ->add_option("--fold", arguments->fold,
                   "Run wider workgroups as this number of invocations, where that keeps the results")
      ->needs(form);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
