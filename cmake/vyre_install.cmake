# vyre::vyre, the whole library for those who use it, and what cmake --install puts where.

if(VYRE_SANITIZE)
  # A sanitizer belongs to a whole program, so there is no library for others then.
  add_library(vyre_whole INTERFACE)
  target_link_libraries(vyre_whole INTERFACE vyre::runtime vyre::all_backends)
  add_library(vyre::vyre ALIAS vyre_whole)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The headers for users and for writers of backends. They include one another and the standard library, nothing else.
set(policy_headers
  vyre/base/check.hpp vyre/base/error.hpp vyre/base/u128.hpp
  vyre/policy/arm.hpp vyre/policy/audit_event.hpp vyre/policy/bindless.hpp vyre/policy/choice.hpp
  vyre/policy/command_reuse.hpp vyre/policy/dispatch_policy.hpp vyre/policy/persistent_kernel.hpp
  vyre/policy/primary_mode.hpp vyre/policy/slot_set.hpp vyre/policy/trace_jit.hpp)
set(library_headers
  vyre/all_backends.hpp vyre/vyre.hpp
  vyre/backend/command_list.hpp vyre/backend/decorators.hpp vyre/backend/device.hpp vyre/backend/device_info.hpp
  vyre/backend/driver.hpp vyre/backend/handle.hpp vyre/backend/list_lowering.hpp vyre/backend/registry.hpp
  vyre/choice/batch_shape.hpp vyre/choice/calibration.hpp vyre/choice/line.hpp vyre/choice/way.hpp
  vyre/program/forms/form.hpp vyre/program/hash.hpp vyre/program/interface.hpp vyre/program/program.hpp
  vyre/program/spirv/spec_override.hpp vyre/program/spirv_cache.hpp vyre/program/target.hpp vyre/program/validate.hpp
  vyre/report/audit_log.hpp vyre/report/choice_report.hpp vyre/report/device_report.hpp vyre/report/explain.hpp vyre/report/explanation.hpp
  vyre/report/interface_report.hpp vyre/report/run_report.hpp
  vyre/runtime/buffer.hpp vyre/runtime/calibrate.hpp vyre/runtime/params.hpp vyre/runtime/session.hpp
  vyre/runtime/system.hpp vyre/runtime/tuner.hpp vyre/store/store.hpp)

# The objects of the static libraries, all of them, each compiled once. What stands behind them (fmt, glslang,
# SPIRV-Tools) comes along as they need it. vyre.map.in says what others see of it.
set(symbols "${CMAKE_BINARY_DIR}/package/vyre.map")
configure_file("${CMAKE_CURRENT_LIST_DIR}/vyre.map.in" "${symbols}" @ONLY)
add_library(vyre_shared SHARED)
foreach(part store program plan backend lowering choice report runtime vulkan all_backends)
  target_sources(vyre_shared PRIVATE $<TARGET_OBJECTS:vyre_${part}>)
endforeach()
target_sources(vyre_shared PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${library_headers})
target_compile_features(vyre_shared PUBLIC cxx_std_23)
target_link_libraries(vyre_shared PUBLIC vyre::policy PRIVATE vyre::runtime vyre::store vyre::all_backends)
target_link_options(vyre_shared PRIVATE "LINKER:--version-script=${symbols}" LINKER:-z,defs)
set_target_properties(vyre_shared PROPERTIES
  OUTPUT_NAME vyre VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}" EXPORT_NAME vyre
  LINKER_LANGUAGE CXX LINK_DEPENDS "${symbols}" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
add_library(vyre::vyre ALIAS vyre_shared)

if(NOT VYRE_INSTALL)
  return()
endif()

target_sources(vyre_policy INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${policy_headers})
set_target_properties(vyre_base PROPERTIES EXPORT_NAME base)
set_target_properties(vyre_policy PROPERTIES EXPORT_NAME policy)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/vyre")
install(TARGETS vyre RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS vyre_base vyre_policy vyre_shared EXPORT vyre_targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT vyre_targets NAMESPACE vyre:: FILE vyre-targets.cmake DESTINATION "${package_folder}")

# Versions below 1 promise nothing to one another but within a minor one.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/vyre-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/vyre.pc.in" "${CMAKE_BINARY_DIR}/package/vyre.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_LIST_DIR}/vyre-config.cmake" "${CMAKE_BINARY_DIR}/package/vyre-config-version.cmake"
  DESTINATION "${package_folder}")
install(FILES "${CMAKE_BINARY_DIR}/package/vyre.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE-MIT" "${PROJECT_SOURCE_DIR}/LICENSE-APACHE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
