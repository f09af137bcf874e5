# OpenDDS from its CMake package (3.14 and later), or from its source tree with the tools' own variables.
# Either adds the types of idl/busmark.idl, in the folder ${generated}, and the libraries to ${target}.
# ${repository} is the checkout.
find_package(OpenDDS QUIET CONFIG HINTS "$ENV{DDS_ROOT}/cmake" "$ENV{DDS_ROOT}")
if(OpenDDS_FOUND)
  include(${CMAKE_CURRENT_LIST_DIR}/from_package.cmake)
else()
  include(${CMAKE_CURRENT_LIST_DIR}/from_tree.cmake)
endif()
