# glslang::libraries, the compiler of GLSL with all it stands on.
#
# The static libraries by name: glslang's own CMake files in Debian 12 ask for tools that come in another package.
include(FindPackageHandleStandardArgs)
find_package(Threads REQUIRED)
find_path(GLSLANG_INCLUDE_DIR glslang/Public/ShaderLang.h)
set(glslang_parts
  SPIRV glslang glslang-default-resource-limits MachineIndependent GenericCodeGen OGLCompiler OSDependent)
foreach(part ${glslang_parts})
  find_library(GLSLANG_${part}_LIBRARY ${part})
  list(APPEND glslang_variables GLSLANG_${part}_LIBRARY)
  list(APPEND glslang_libraries "${GLSLANG_${part}_LIBRARY}")
endforeach()
find_package_handle_standard_args(GlslangLibraries REQUIRED_VARS GLSLANG_INCLUDE_DIR ${glslang_variables})

if(GlslangLibraries_FOUND AND NOT TARGET glslang::libraries)
  add_library(glslang::libraries INTERFACE IMPORTED)
  target_include_directories(glslang::libraries INTERFACE "${GLSLANG_INCLUDE_DIR}")
  string(REPLACE ";" "," glslang_group "${glslang_libraries}")
  target_link_libraries(glslang::libraries INTERFACE
    "$<LINK_GROUP:RESCAN,${glslang_group}>" SPIRV-Tools-opt SPIRV-Tools-static Threads::Threads)
endif()
