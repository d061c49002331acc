# find_package(vyre): vyre::vyre, the library, and vyre::policy, the decisions as headers alone.
include("${CMAKE_CURRENT_LIST_DIR}/vyre-targets.cmake")
