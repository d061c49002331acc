# What every target of the house shares: the language, the warnings, the sanitizers. Never global.

add_library(vyre_options INTERFACE)
target_compile_features(vyre_options INTERFACE cxx_std_23)
target_compile_options(vyre_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual
  -Wundef -Werror -ffp-contract=off
  # Our own aggregates have a default for every field, and the structures of Vulkan are zero where nothing is said.
  -Wno-missing-field-initializers
  # GCC 12 takes scoped enumerators for shadowing, and sums of strings for overlapping copies.
  $<$<CXX_COMPILER_ID:Clang>:-Wshadow> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(VYRE_SANITIZE STREQUAL "address")
  # Without vptr: it needs the type information of glslang's classes, which is built without.
  target_compile_options(vyre_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(vyre_options INTERFACE -fsanitize=address,undefined)
elseif(VYRE_SANITIZE STREQUAL "thread")
  target_compile_options(vyre_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(vyre_options INTERFACE -fsanitize=thread)
elseif(VYRE_SANITIZE STREQUAL "coverage")
  target_compile_options(vyre_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(vyre_options INTERFACE -fprofile-instr-generate)
elseif(VYRE_SANITIZE STREQUAL "assertions")
  target_compile_definitions(vyre_options INTERFACE _GLIBCXX_ASSERTIONS)
elseif(VYRE_SANITIZE)
  message(FATAL_ERROR "VYRE_SANITIZE is '${VYRE_SANITIZE}', it may be address, thread, coverage or assertions")
endif()
if(VYRE_FUZZ)
  target_compile_options(vyre_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# vyre_quick(target): compiled in less time rather than to less of it, which is what a test wants: a half of building all.
function(vyre_quick target)
  if(VYRE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# vyre_shareable(target): its objects can become a part of the shared library, in which nobody takes a function's place.
function(vyre_shareable target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endfunction()

# vyre_precompile(target [TEST]): the target uses the precompiled headers, if there are any.
function(vyre_precompile target)
  cmake_parse_arguments(ARG "TEST" "" "" ${ARGN})
  if(NOT VYRE_PRECOMPILE)
    return()
  endif()
  set(precompiled precompiled)
  if(ARG_TEST)
    set(precompiled precompiled_test)
  endif()
  if(NOT TARGET vyre_${precompiled})
    add_library(vyre_${precompiled} STATIC "${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp")
    target_link_libraries(vyre_${precompiled} PRIVATE vyre_options fmt::fmt)
    if(ARG_TEST)
      target_link_libraries(vyre_${precompiled} PRIVATE GTest::gmock)
      vyre_quick(vyre_${precompiled})
    else()
      vyre_shareable(vyre_${precompiled})
    endif()
    target_precompile_headers(vyre_${precompiled} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/${precompiled}.hpp")
  endif()
  target_precompile_headers(${target} REUSE_FROM vyre_${precompiled})
  # GCC takes a precompiled header only where it is compiled in the same way, and all is defined that was.
  if(ARG_TEST)
    vyre_quick(${target})
  else()
    vyre_shareable(${target})
  endif()
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  # Compilers no longer leave out what they warn of within the standard library: GCC takes sums of strings for endless
  # copies, and Clang finds GCC's own sorting deprecated.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
endfunction()

# vyre_library(policy [THREADS] [SOURCES …] [DEPENDS …] [PRIVATE …] [TESTS …] [TEST_DEPENDS …]): the folder as the
# library vyre::policy, and its unit tests, which sit beside their sources; THREADS if some of them are threaded.
function(vyre_library name)
  cmake_parse_arguments(ARG "THREADS" "" "SOURCES;DEPENDS;PRIVATE;TESTS;TEST_DEPENDS" ${ARGN})
  set(target vyre_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
    target_compile_features(${target} PUBLIC cxx_std_23)
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:vyre_options>)
    vyre_shareable(${target})
    vyre_precompile(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
    target_compile_features(${target} INTERFACE cxx_std_23)
    target_link_libraries(${target} INTERFACE ${ARG_DEPENDS})
  endif()
  add_library(vyre::${name} ALIAS ${target})
  if(VYRE_TESTS AND ARG_TESTS)
    if(ARG_THREADS)
      set(threads THREADS)
    endif()
    vyre_test(vyre_${name}_test ${threads} SOURCES ${ARG_TESTS} DEPENDS vyre::${name} ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# All programs that hold threaded tests, which are those with Threads in their name.
add_custom_target(threaded_tests)

# vyre_test(name [THREADS] [ON_DEVICES filter …] SOURCES … DEPENDS …): a GoogleTest program, a ctest entry per test; per
# Vulkan device, too, for tests that match the filter. What follows the filter is for vyre_discover_on_devices.
function(vyre_test name)
  cmake_parse_arguments(ARG "THREADS" "" "ON_DEVICES;SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE VYRE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" VYRE_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} vyre_options GTest::gmock GTest::gtest_main)
  vyre_precompile(${name} TEST)
  if(ARG_THREADS)
    add_dependencies(threaded_tests ${name})
  endif()
  if(ARG_ON_DEVICES)
    vyre_discover_on_devices(${name} ${ARG_ON_DEVICES})
  else()
    vyre_discover(${name} none)
  endif()
endfunction()

add_custom_target(fuzz_targets)

# vyre_fuzz_target(name SOURCE CORPUS DEPENDS …): a libFuzzer program, or a program that replays the corpus as a test.
function(vyre_fuzz_target name source corpus)
  if(VYRE_FUZZ)
    add_executable(${name} ${source})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND ${name} -runs=0 "${corpus}")
  else()
    add_executable(${name} ${source} "${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp")
    add_test(NAME ${name}_replay COMMAND ${name} "${corpus}")
  endif()
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARGN} vyre_options)
  add_dependencies(fuzz_targets ${name})
endfunction()
