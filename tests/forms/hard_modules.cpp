#include "tests/forms/hard_modules.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <vyre/base/check.hpp>

#include "tests/kernels/data.hpp"
#include "tests/support/spirv.hpp"

namespace vyre::tests {
namespace {

// Each was seen with Chromium 156's SwiftShader.
constexpr DriverFault kFaults[] = {
    {"SwiftShader", "values_of_loops",
     "what an invocation loaded in a loop, by an index that is not constant, is zero once it left the loop before "
     "others"},
    {"SwiftShader", "matrix_arrays",
     "an array of matrices that is loaded as one value has wrong columns in the kernel as written"},
    {"SwiftShader", "built_in_pointers",
     "a component of a built-in vector by an index that is not constant is anything"},
};

using kernels::eighths;
using kernels::integers;
using kernels::pack;
using kernels::to_bytes;
using kernels::words;
using program::TargetEnvironment;

using Bytes = std::vector<std::byte>;

/// Words of any value, or whole numbers below a limit.
Bytes random_words(std::size_t count, std::uint32_t seed) { return to_bytes(words(count, seed)); }
Bytes numbers(std::size_t count, std::uint32_t seed, std::uint32_t limit) {
  return to_bytes(integers<std::uint32_t>(count, seed, 0, limit - 1));
}
/// Floats and doubles whose sums and products are exact, none of them zero.
Bytes floats(std::size_t count, std::uint32_t seed) { return to_bytes(eighths(count, seed, 1, 16)); }
Bytes doubles(std::size_t count, std::uint32_t seed) { return to_bytes(integers<double>(count, seed, 1, 1000)); }
Bytes halves(std::size_t count, std::uint32_t seed) {
  std::vector<std::uint16_t> values;
  for (const float value : eighths(count, seed, 1, 16)) {
    values.push_back(static_cast<std::uint16_t>(kernels::to_half(value)));
  }
  return to_bytes(values);
}
Bytes zeros(std::size_t count) { return Bytes(4 * count); }
Bytes exactly(const std::vector<std::uint32_t>& values) { return to_bytes(values); }

/// Bytes with others behind them.
Bytes operator+(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<Refusal> in_all_forms(const std::string& word, bool must = true) {
  return {{.form = "pointer", .word = word, .must = must},
          {.form = "merged", .word = word, .must = must},
          {.form = "persistent", .word = word, .must = must},
          {.form = "chain", .word = word, .must = must}};
}
std::vector<Refusal> in_one_launch(const std::string& word, bool must = true) {
  return {{.form = "merged", .word = word, .must = must},
          {.form = "persistent", .word = word, .must = must},
          {.form = "chain", .word = word, .must = must}};
}
/// Collects the modules, those in GLSL twice: as the compiler leaves them for the oldest target, and optimised for the
/// newest.
class Collection {
 public:
  void glsl(HardModule module) {
    module.text = module_text(module.name + ".comp");
    add_variant(module, TargetEnvironment::Vulkan11, false);
    add_variant(std::move(module), TargetEnvironment::Vulkan13, true);
  }
  /// One that only newer targets can express.
  void new_glsl(HardModule module) {
    module.text = module_text(module.name + ".comp");
    add_variant(module, TargetEnvironment::Vulkan12, false);
    add_variant(std::move(module), TargetEnvironment::Vulkan13, true);
  }
  void assembly(HardModule module, const std::string& file = {}) {
    module.text = module_text((file.empty() ? module.name : file) + ".spvasm");
    module.is_glsl = false;
    module.options.name = module.name;
    module.options.target = module.version > 0x10500   ? TargetEnvironment::Vulkan13
                            : module.version > 0x10300 ? TargetEnvironment::Vulkan12
                                                       : TargetEnvironment::Vulkan11;
    modules_.push_back(std::move(module));
  }

  void add(HardModule module) { modules_.push_back(std::move(module)); }

  std::vector<HardModule> take() { return std::move(modules_); }

 private:
  void add_variant(HardModule module, TargetEnvironment target, bool optimise) {
    module.options.target = target;
    module.options.optimise = optimise;
    module.name += "." + std::string{to_string(target)} + (optimise ? ".optimised" : "");
    module.options.name = module.name;
    modules_.push_back(std::move(module));
  }

  std::vector<HardModule> modules_;
};

void add_accesses(Collection& all) {
  all.glsl({.name = "vector_components",
            .groups = {3, 1, 1},
            .buffers = {random_words(192, 1), zeros(192), zeros(192), zeros(96), zeros(48)}});
  all.glsl({.name = "components_past_declared",
            .groups = {2, 1, 1},
            .buffers = {random_words(96, 205), random_words(65, 206), random_words(128, 207), zeros(32)}});
  all.glsl({.name = "matrix_arrays", .buffers = {floats(8 + 24, 208), zeros(12)}, .params = floats(8, 209)});
  all.glsl({.name = "word_pairs",
            .buffers = {random_words(2, 201) + floats(146, 202), floats(48, 203), zeros(48), random_words(16, 204)}});
  all.glsl({.name = "narrow_vectors",
            .groups = {2, 1, 1},
            .buffers = {random_words(32, 2), random_words(32, 3), halves(128, 4), zeros(32), zeros(32), zeros(64),
                        zeros(32)}});
  all.glsl({.name = "narrow_arithmetic",
            .groups = {2, 1, 1},
            .buffers = {random_words(32, 5), random_words(64, 6), halves(64, 7), zeros(32)}});
  all.assembly({.name = "narrow_components", .buffers = {random_words(32, 8), zeros(8)}});
  all.glsl({.name = "wide_types", .buffers = {doubles(20, 9), doubles(28, 10)}});
  all.glsl({.name = "booleans", .groups = {2, 1, 1}, .buffers = {numbers(23, 11, 2), zeros(16)}});
  all.glsl({.name = "matrices", .buffers = {floats(96, 12), floats(100, 13), floats(40, 14), zeros(8)}});
  all.glsl({.name = "struct_copies",
            .groups = {2, 1, 1},
            .buffers = {floats(256, 15), zeros(448), zeros(32), floats(28, 16)}});
  all.glsl({.name = "nested_runtime",
            .groups = {2, 1, 1},
            .buffers = {exactly({6, 9, 2, 5, 4, 1}) + floats(98, 17), zeros(16)}});
  all.glsl({.name = "scalar_blocks",
            .buffers = {floats(52, 18), floats(15, 19), zeros(24)},
            .params = pack(3U, 0.5F, 1.5F, -2.5F)});
  all.glsl({.name = "pointer_outputs", .buffers = {floats(8, 20), zeros(8), zeros(24), zeros(16)}});
  all.glsl({.name = "precise_floats", .groups = {2, 1, 1}, .buffers = {floats(64, 21), zeros(16)}});
  all.assembly({.name = "aligned_already", .groups = {2, 1, 1}, .buffers = {random_words(64, 22), zeros(16)}});
  all.assembly({.name = "index_widths", .groups = {2, 1, 1}, .buffers = {random_words(16, 23), zeros(16)}});
  all.assembly({.name = "whole_blocks",
                .groups = {2, 1, 1},
                .buffers = {zeros(12), zeros(16), random_words(12, 24)},
                .params = random_words(12, 25)});
  // More than a checked form reads at once.
  all.assembly({.name = "huge_value",
                .buffers = {random_words(4164, 26), zeros(4164), zeros(8)},
                .refused = in_all_forms("bytes", false),
                .runs = false});
  all.assembly({.name = "select_composites",
                .version = 0x10400,
                .groups = {2, 1, 1},
                .buffers = {random_words(64, 27), zeros(128), zeros(16)}});
  all.assembly({.name = "decorated_arrays", .buffers = {random_words(64, 28), zeros(8)}});
}

void add_atomics(Collection& all) {
  all.glsl({.name = "atomics_32", .groups = {2, 1, 1}, .buffers = {random_words(76, 30), zeros(64)}});
  all.glsl({.name = "atomics_64", .groups = {2, 1, 1}, .buffers = {random_words(138, 31), zeros(128)}});
  all.glsl({.name = "atomics_float", .groups = {2, 1, 1}, .buffers = {floats(65, 32), zeros(64)}});
  all.glsl({.name = "compare_swap_loops", .groups = {2, 1, 1}, .buffers = {zeros(6), zeros(16)}});
  all.glsl({.name = "atomic_counter_trips", .groups = {2, 1, 1}, .buffers = {random_words(17, 33), zeros(16)}});
  all.glsl({.name = "qualifiers",
            .groups = {2, 1, 1},
            .buffers = {random_words(16, 34), zeros(16), random_words(25, 35), random_words(16, 36), zeros(16),
                        random_words(16, 37), zeros(16)}});
  all.assembly({.name = "decorated_variables",
                .groups = {2, 1, 1},
                .buffers = {random_words(16, 38), zeros(16), random_words(16, 39), random_words(16, 40)}});
  all.glsl({.name = "memory_model",
            .groups = {2, 1, 1},
            .buffers = {zeros(32), zeros(132), zeros(32), random_words(32, 41)}});
  all.assembly({.name = "scoped_accesses",
                .version = 0x10500,
                .groups = {2, 1, 1},
                .buffers = {random_words(64, 42), zeros(16)}});
}

void add_bindings(Collection& all) {
  all.glsl({.name = "slot_strides", .groups = {2, 1, 1}, .buffers = {random_words(22, 50), zeros(64)}});
  all.glsl({.name = "buffer_arrays",
            .groups = {2, 1, 1},
            .buffers = {random_words(17, 51), random_words(18, 52), random_words(20, 53), random_words(16, 54),
                        random_words(16, 55), zeros(16)},
            .params = pack(2U, 1U)});
  all.glsl(
      {.name = "non_uniform_index",
       .groups = {2, 1, 1},
       .buffers = {random_words(16, 56), random_words(17, 57), random_words(18, 58), random_words(19, 59), zeros(16)}});
  all.glsl({.name = "many_bindings",
            .groups = {2, 1, 1},
            .buffers = {random_words(16, 60), random_words(4, 61), random_words(16, 62), random_words(16, 63),
                        random_words(16, 64), random_words(16, 65), random_words(5, 66), random_words(16, 67),
                        random_words(16, 68)}});
  all.glsl({.name = "push_narrow",
            .groups = {2, 1, 1},
            .buffers = {zeros(16)},
            .params = pack(std::uint8_t{200}, std::int8_t{-7}, std::uint16_t{60'000}, std::uint16_t{0x4500},
                           std::int16_t{-3}, std::int16_t{9}, std::int16_t{1000}, std::int16_t{-1000}, std::uint16_t{0},
                           0x04fe'0201U, std::uint16_t{0x3c00}, std::uint16_t{0x4900})});
  all.glsl({.name = "push_dynamic",
            .groups = {2, 1, 1},
            .buffers = {zeros(16)},
            .params = pack(0U, 0U, 11U, 22U, 33U, 44U, 0U, 3U, 1U, 4U, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F, 8.0F,
                           0U, 0U, 100U, 200U, 300U)});
  all.glsl({.name = "push_sparse", .groups = {2, 1, 1}, .buffers = {zeros(16)}, .params = random_words(32, 69)});
  all.glsl({.name = "length_everywhere",
            .groups = {2, 1, 1},
            .buffers = {random_words(23, 70), zeros(16), random_words(4, 71)}});
  all.assembly({.name = "array_lengths",
                .groups = {2, 1, 1},
                .buffers = {zeros(16), zeros(32), zeros(20), zeros(9), exactly({2}) + zeros(17)}});
  // The optimiser would leave nothing of it.
  all.add({.name = "no_buffers",
           .text = module_text("no_buffers.comp"),
           .options = {.name = "no_buffers", .optimise = false},
           .groups = {2, 1, 1},
           .params = pack(3U)});
  all.glsl({.name = "spec_sized_block",
            .groups = {2, 1, 1},
            .buffers = {random_words(5, 72), zeros(16), random_words(32, 73)}});
  all.add({.name = "spec_sized_block.specialised",
           .text = module_text("spec_sized_block.comp"),
           .options = {.name = "spec_sized_block.specialised"},
           .groups = {2, 1, 1},
           .buffers = {random_words(7, 74), zeros(16), random_words(72, 75)},
           .values = {{.spec_id = 0, .bits = 6}, {.spec_id = 1, .bits = 3}}});
  all.glsl({.name = "spec_sized_buffer_array",
            .buffers = {random_words(8, 76), zeros(8)},
            .refused = in_all_forms("specialis", false)});
}

void add_pointers(Collection& all) {
  const auto two_and_result = [](std::uint32_t seed) -> std::vector<Bytes> {
    return {random_words(32, seed), random_words(20, seed + 1), zeros(16)};
  };
  all.assembly({.name = "pointer_select", .buffers = two_and_result(80)});
  all.assembly({.name = "pointer_phi", .groups = {2, 1, 1}, .buffers = two_and_result(82)});
  all.assembly({.name = "pointer_parameters", .groups = {2, 1, 1}, .buffers = two_and_result(84)});
  all.assembly({.name = "pointer_parameter_same", .buffers = {random_words(16, 86), zeros(8)}});
  all.assembly({.name = "pointer_in_variable",
                .groups = {2, 1, 1},
                .buffers = two_and_result(88),
                .refused = in_all_forms("pointer", false)});
  all.assembly({.name = "pointer_returned",
                .groups = {2, 1, 1},
                .buffers = two_and_result(90),
                .refused = in_all_forms("pointer", false)});
  all.assembly({.name = "pointer_null",
                .groups = {2, 1, 1},
                .buffers = {random_words(16, 92), zeros(16)},
                .refused = in_all_forms("OpConstantNull", false)});
  all.assembly({.name = "copied_pointers", .groups = {2, 1, 1}, .buffers = {random_words(16, 93), zeros(16)}});
  all.assembly(
      {.name = "length_of_parameter", .buffers = two_and_result(94), .refused = in_all_forms("OpArrayLength")});
  all.assembly({.name = "length_of_select", .buffers = two_and_result(96), .refused = in_all_forms("OpArrayLength")});
  all.assembly({.name = "length_of_same_select",
                .buffers = {random_words(13, 98), zeros(8)},
                .refused = in_all_forms("OpArrayLength", false)});
  all.assembly({.name = "pointer_arithmetic", .buffers = {random_words(9, 99), zeros(8)}});
  all.assembly({.name = "pointer_equal", .version = 0x10400, .buffers = {random_words(8, 100), zeros(8)}});
  all.assembly({.name = "pointer_two_buffers",
                .version = 0x10400,
                .groups = {2, 1, 1},
                .buffers = {random_words(16, 118), zeros(16)},
                .refused = in_all_forms("two buffers")});
  all.assembly({.name = "pointer_not_equal", .version = 0x10400, .buffers = {random_words(8, 101), zeros(8)}});
  all.assembly({.name = "pointer_difference", .version = 0x10400, .buffers = {random_words(8, 102), zeros(8)}});
  all.assembly({.name = "copy_memory_before_1_4", .buffers = {random_words(192, 103), zeros(16)}});
  all.assembly({.name = "copy_memory_since_1_4", .version = 0x10400, .buffers = {random_words(192, 104), zeros(16)}});
  all.assembly({.name = "copy_memory_scoped", .version = 0x10500, .buffers = {random_words(192, 105), zeros(16)}});
  all.assembly({.name = "copied_vectors", .buffers = {random_words(32, 117), zeros(8)}});
  all.assembly({.name = "copy_memory_sized", .no_program = "Addresses"});
  all.assembly({.name = "shared_and_private_parameters", .buffers = {random_words(8, 106), zeros(8)}});
  all.glsl({.name = "functions", .buffers = {random_words(24, 107), random_words(16, 108)}});
}

void add_control_flow(Collection& all) {
  all.glsl({.name = "early_returns",
            .groups = {3, 1, 1},
            .buffers = {numbers(24, 110, 100), zeros(24)},
            .params = pack(10U)});
  all.glsl({.name = "loop_headers", .buffers = {exactly({9, 2}) + numbers(24, 111, 40), zeros(16)}});
  all.glsl({.name = "switches", .buffers = {numbers(16, 112, 200), zeros(16)}});
  all.glsl({.name = "many_trips", .groups = {6, 1, 1}, .buffers = {zeros(6)}, .params = pack(20'000U)});
  all.assembly(
      {.name = "unreachable_and_undefined", .groups = {2, 1, 1}, .buffers = {random_words(16, 113), zeros(16)}});
  all.assembly({.name = "single_block_loops",
                .groups = {2, 1, 1},
                .buffers = {numbers(8, 114, 1000) + exactly({5}), zeros(16)}});
  all.assembly({.name = "wide_switch", .buffers = {random_words(8, 115), zeros(8)}});
  all.assembly({.name = "entry_block_loop", .groups = {2, 1, 1}, .buffers = {zeros(16)}});
  all.glsl({.name = "spin_atomic",
            .groups = {4, 1, 1},
            .buffers = {exactly({1, 0}), zeros(4)},
            .refused = in_one_launch("OpAtomicIAdd")});
  all.glsl({.name = "spin_volatile",
            .groups = {4, 1, 1},
            .buffers = {exactly({1}), zeros(4)},
            .refused = in_one_launch("olatile")});
  all.glsl({.name = "spin_scoped",
            .groups = {4, 1, 1},
            .buffers = {exactly({1, 9}), zeros(4)},
            .refused = in_one_launch("OpAtomicLoad")});
  all.glsl({.name = "spin_break",
            .groups = {4, 1, 1},
            .buffers = {exactly({3}), zeros(4)},
            .refused = in_one_launch("OpAtomicOr")});
  all.assembly({.name = "spin_load", .buffers = {exactly({1}), zeros(8)}, .refused = in_one_launch("OpAtomicLoad")});
  all.assembly(
      {.name = "spin_through_variable", .buffers = {exactly({1}), zeros(8)}, .refused = in_one_launch("OpAtomicOr")});
  all.glsl({.name = "spin_through_parts",
            .groups = {4, 1, 1},
            .buffers = {exactly({3}), zeros(4)},
            .refused = in_one_launch("OpAtomicOr")});
  all.glsl({.name = "spin_in_function",
            .groups = {4, 1, 1},
            .buffers = {exactly({3}), zeros(4)},
            .refused = in_one_launch("OpAtomicOr")});
  // What is found decides something in the loop, and that another loop's trips, on which the way out hangs.
  all.glsl({.name = "spin_by_trips",
            .groups = {4, 1, 1},
            .buffers = {exactly({3}), zeros(4)},
            .refused = in_one_launch("OpAtomicOr")});
  // What is found decides what a loop does, not whether it goes on.
  all.glsl({.name = "found_in_loop", .groups = {2, 1, 1}, .buffers = {zeros(8), zeros(16), zeros(16)}});
  all.glsl({.name = "values_of_loops",
            .groups = {2, 1, 1},
            .buffers = {random_words(17, 117), random_words(20, 118),
                        random_words(16, 119) + floats(8, 120) + random_words(32, 121), zeros(128)},
            .params = exactly({5, 0, 11, 12, 13, 14})});
  // Not one of these, though its condition is a long way from where it begins.
  all.glsl({.name = "long_condition", .buffers = {random_words(64, 116), zeros(8)}});
  // A lock is a loop of compare-and-swap, and waits for another all the same.
  all.assembly({.name = "spin_lock",
                .groups = {3, 1, 1},
                .buffers = {zeros(2), zeros(3)},
                .refused = in_one_launch("OpAtomicCompareExchange", false)});
}

void add_workgroups(Collection& all) {
  all.glsl({.name = "size_literal", .groups = {2, 1, 2}, .buffers = {zeros(384)}});
  all.glsl({.name = "size_specialised",
            .groups = {2, 2, 1},
            .buffers = {zeros(256)},
            .values = {{.spec_id = 1, .bits = 2}, {.spec_id = 3, .bits = 8}, {.spec_id = 7, .bits = 5}}});
  all.assembly({.name = "size_built_in", .groups = {2, 1, 1}, .buffers = {zeros(8)}});
  all.assembly({.name = "size_built_in_specialised", .groups = {2, 1, 1}, .buffers = {zeros(4)}});
  all.assembly({.name = "size_built_in_specialised.changed",
                .groups = {2, 1, 1},
                .buffers = {zeros(12)},
                .values = {{.spec_id = 4, .bits = 6}, {.spec_id = 5, .bits = 2}}},
               "size_built_in_specialised");
  all.assembly({.name = "size_by_id", .version = 0x10600, .groups = {2, 1, 1}, .buffers = {zeros(4)}});
  all.assembly({.name = "size_by_id.changed",
                .version = 0x10600,
                .groups = {2, 1, 1},
                .buffers = {zeros(10)},
                .values = {{.spec_id = 4, .bits = 5}}},
               "size_by_id");
  all.glsl({.name = "built_ins", .groups = {2, 3, 2}, .buffers = {zeros(192)}});
  all.glsl({.name = "dynamic_grid", .groups = {3, 2, 2}, .buffers = {zeros(97)}});
  all.assembly({.name = "built_in_pointers",
                .groups = {2, 1, 1},
                .buffers = {zeros(16)},
                .refused = in_one_launch("OpCopyObject", false)});
  all.glsl({.name = "subgroups", .groups = {2, 1, 1}, .buffers = {numbers(64, 120, 256), zeros(65)}});
  all.glsl({.name = "shared_rounds",
            .groups = {4, 1, 1},
            .buffers = {random_words(64, 121), zeros(64)},
            .params = pack(4U)});
  all.glsl({.name = "shared_late_reader", .groups = {3, 1, 1}, .buffers = {random_words(192, 122), zeros(192)}});
  all.glsl({.name = "shared_atomics", .groups = {3, 1, 1}, .buffers = {random_words(96, 123), random_words(8, 124)}});
  all.assembly({.name = "zeroed_shared",
                .groups = {8, 1, 1},
                .buffers = {random_words(64, 125), zeros(64)},
                .refused = {{.form = "persistent", .word = "initialis", .must = false},
                            {.form = "chain", .word = "initialis", .must = false}}});
  all.new_glsl({.name = "shared_block", .groups = {2, 1, 1}, .buffers = {random_words(16, 126)}});
  all.glsl({.name = "wide_workgroup", .groups = {3, 1, 1}, .buffers = {random_words(192, 128), zeros(193)}});
  all.glsl({.name = "private_state", .groups = {2, 1, 1}, .buffers = {random_words(16, 127), zeros(16)}});
  all.assembly({.name = "private_initialisers", .groups = {2, 1, 1}, .buffers = {zeros(16)}});
  all.assembly({.name = "private_initialisers.changed",
                .groups = {2, 1, 1},
                .buffers = {zeros(16)},
                .values = {{.spec_id = 9, .bits = 100}}},
               "private_initialisers");
}

void add_modules(Collection& all) {
  const auto source_and_result = [](std::uint32_t seed) -> std::vector<Bytes> {
    return {random_words(16, seed), zeros(16)};
  };
  all.assembly({.name = "plain_1_0", .version = 0x10000, .groups = {2, 1, 1}, .buffers = source_and_result(130)});
  for (const auto& [name, version] : {std::pair{"plain_1_3", 0x10300U}, std::pair{"plain_1_4", 0x10400U},
                                      std::pair{"plain_1_5", 0x10500U}, std::pair{"plain_1_6", 0x10600U}}) {
    all.assembly({.name = name,
                  .version = version,
                  .groups = {2, 1, 1},
                  .buffers = source_and_result(version),
                  .params = pack(0U, 3U)});
  }
  all.assembly({.name = "buffer_block_1_0",
                .version = 0x10000,
                .groups = {2, 1, 1},
                .buffers = {random_words(16, 131), zeros(16), random_words(8, 132), zeros(16), zeros(16)}});
  all.assembly({.name = "entry_points.main",
                .options = {.entry_point = "main"},
                .groups = {2, 1, 1},
                .buffers = source_and_result(133),
                .params = pack(7U)},
               "entry_points");
  all.assembly({.name = "entry_points.second",
                .options = {.entry_point = "second"},
                .groups = {4, 1, 1},
                .buffers = source_and_result(134),
                .params = pack(0U, 0U, 0U, 0U, 0U, 9U)},
               "entry_points");
  all.assembly({.name = "entry_points.third", .options = {.entry_point = "third"}}, "entry_points");
  all.assembly({.name = "debug_information", .groups = {2, 1, 1}, .buffers = source_and_result(135)});
  all.assembly({.name = "decoration_groups", .groups = {2, 1, 1}, .buffers = {random_words(24, 136), zeros(16)}});
  // There is no room for new ids unless the old ones are numbered anew.
  all.assembly({.name = "ids_near_the_limit",
                .groups = {2, 1, 1},
                .buffers = source_and_result(138),
                .refused = in_all_forms("id", false)});
  all.assembly({.name = "unused_globals", .groups = {2, 1, 1}, .buffers = {zeros(16)}});
  all.assembly({.name = "integer_dot", .version = 0x10600, .groups = {2, 1, 1}, .buffers = source_and_result(137)});
  all.assembly({.name = "two_push_blocks", .no_program = "push constant block"});
  all.glsl({.name = "unbounded_buffer_array", .no_program = "without a length"});
  all.glsl({.name = "image", .no_program = "images and samplers"});
  all.glsl({.name = "buffer_reference", .no_program = "PhysicalStorageBufferAddresses"});
  all.glsl({.name = "wide_barrier", .no_program = "Execution Scope is limited"});
}

std::vector<HardModule> make_modules() {
  Collection all;
  add_accesses(all);
  add_atomics(all);
  add_bindings(all);
  add_pointers(all);
  add_control_flow(all);
  add_workgroups(all);
  add_modules(all);
  return all.take();
}

}  // namespace

std::string module_text(const std::string& file) {
  const std::filesystem::path path = std::filesystem::path{VYRE_SOURCE_DIR} / "tests/forms/modules" / file;
  std::ifstream stream{path};
  VYRE_CHECK(stream.good(), "the modules are beside the tests");
  return {std::istreambuf_iterator<char>{stream}, {}};
}

const std::vector<HardModule>& hard_modules() {
  static const std::vector<HardModule> kModules = make_modules();
  return kModules;
}

const DriverFault* find_fault(std::string_view driver, const HardModule& module) {
  const std::string_view name = std::string_view{module.name}.substr(0, module.name.find(".vulkan"));
  for (const DriverFault& each : kFaults) {
    if (each.module == name && driver.contains(each.driver)) return &each;
  }
  return nullptr;
}

Result<program::Program> make_program(const HardModule& module) {
  if (module.is_glsl) return program::Program::from_glsl(module.text, module.options);
  return program::Program::from_spirv(assemble(module.text, module.version), module.options);
}

}  // namespace vyre::tests
