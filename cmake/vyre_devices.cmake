# The devices that tests run on, each by the name that its tests begin with. The Vulkan loader is offered one driver at
# a time, in the environment of a test; nothing else chooses between them. So a suite that takes the only Vulkan device
# there is runs on any, that of a user among them.
set(vyre_vulkan_devices lavapipe lavapipe_inline swiftshader)

# Where Debian's package and ./dev deps put the manifests of the drivers.
file(GLOB vyre_lavapipe_manifest /usr/share/vulkan/icd.d/lvp_icd*.json)
list(JOIN vyre_lavapipe_manifest ":" vyre_lavapipe_manifest)
set(vyre_swiftshader_folder "${PROJECT_SOURCE_DIR}/build/drivers/swiftshader")
set(vyre_swiftshader_manifest "${vyre_swiftshader_folder}/icd.json")

# vyre_device_environment(RESULT DEVICE): what the environment of a test on a device says; DEVICE may be `all`.
function(vyre_device_environment result device)
  set(manifests_lavapipe "${vyre_lavapipe_manifest}")
  set(manifests_lavapipe_inline "${vyre_lavapipe_manifest}")
  set(manifests_swiftshader "${vyre_swiftshader_manifest}")
  set(manifests_all "${vyre_lavapipe_manifest}:${vyre_swiftshader_manifest}")
  # The second is what older loaders read.
  set(environment "VK_DRIVER_FILES=${manifests_${device}}" "VK_ICD_FILENAMES=${manifests_${device}}")
  if(device STREQUAL "lavapipe_inline")
    list(APPEND environment LP_NUM_THREADS=0)
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# vyre_discover(TARGET DEVICE [FULL] [PREFIX text] [FILTER filter] [ARGS …] [ENVIRONMENT …]): the tests of a GoogleTest
# program that match FILTER, on a device. DEVICE is also a label, so that ctest selects and counts by it: one of Vulkan,
# `fake`, or `none` for tests that need no particular one. FULL is for those that run in ./dev test --full alone.
function(vyre_discover target device)
  cmake_parse_arguments(ARG "FULL" "PREFIX;FILTER" "ARGS;ENVIRONMENT" ${ARGN})
  set(labels ${device})
  if(ARG_FULL)
    list(APPEND labels full)
  endif()
  if(device IN_LIST vyre_vulkan_devices)
    set(prefix "${device}.${ARG_PREFIX}")
    vyre_device_environment(environment ${device})
  else()
    set(prefix "${ARG_PREFIX}")
    vyre_device_environment(environment lavapipe)
  endif()
  list(APPEND environment ${ARG_ENVIRONMENT})

  string(MAKE_C_IDENTIFIER "${target}.${prefix}${device}" list)
  gtest_discover_tests(${target}
    TEST_PREFIX "${prefix}" TEST_FILTER "${ARG_FILTER}" EXTRA_ARGS ${ARG_ARGS}
    NO_PRETTY_VALUES TEST_LIST ${list} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
  # Properties that are lists cannot be given there.
  set(properties "${CMAKE_CURRENT_BINARY_DIR}/${list}_properties.cmake")
  file(WRITE "${properties}.new"
    "set_tests_properties(\${${list}} PROPERTIES LABELS \"${labels}\" ENVIRONMENT \"${environment}\")\n")
  configure_file("${properties}.new" "${properties}" COPYONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties}")
endfunction()

# vyre_discover_on_devices(TARGET FILTER [FULL_ON device…] [ELSEWHERE VARIABLE=value…]): the tests that match FILTER on
# every Vulkan device, the others once. On the devices of FULL_ON they run in ./dev test --full alone; on all but the
# first the environment is ELSEWHERE's, too.
function(vyre_discover_on_devices target filter)
  cmake_parse_arguments(ARG "" "" "FULL_ON;ELSEWHERE" ${ARGN})
  set(elsewhere "")
  foreach(device IN LISTS vyre_vulkan_devices)
    set(full "")
    if(device IN_LIST ARG_FULL_ON)
      set(full FULL)
    endif()
    vyre_discover(${target} ${device} ${full} FILTER "${filter}" ENVIRONMENT ${elsewhere})
    set(elsewhere ${ARG_ELSEWHERE})
  endforeach()
  if(NOT filter STREQUAL "*")
    vyre_discover(${target} none FILTER "-${filter}")
  endif()
endfunction()

# vyre_add_on_devices(NAME [SLOW] [ENVIRONMENT …] COMMAND … [PROPERTIES …]): a command as a test on every Vulkan device,
# on all but the first in ./dev test --full alone. SLOW is a label for what sanitizers are spared.
function(vyre_add_on_devices name)
  cmake_parse_arguments(ARG "SLOW" "" "ENVIRONMENT;COMMAND;PROPERTIES" ${ARGN})
  foreach(device IN LISTS vyre_vulkan_devices)
    vyre_device_environment(environment ${device})
    set(labels ${device})
    if(NOT device STREQUAL "lavapipe")
      list(APPEND labels full)
    endif()
    if(ARG_SLOW)
      list(APPEND labels slow)
    endif()
    add_test(NAME ${device}.${name} COMMAND ${ARG_COMMAND})
    set_tests_properties(${device}.${name} PROPERTIES
      LABELS "${labels}" ENVIRONMENT "${environment};${ARG_ENVIRONMENT}" ${ARG_PROPERTIES})
  endforeach()
endfunction()
