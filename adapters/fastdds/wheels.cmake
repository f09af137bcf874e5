# An adapter whose Fast DDS is an installation that CMake finds (CMAKE_PREFIX_PATH, a sourced ROS 2), or else the
# Python wheels that packaging/adapter.sh puts below target/middleware. Before come
# BUSMARK_ADAPTER, BUSMARK_TITLE, and BUSMARK_PACKAGE and BUSMARK_VERSION for find_package.
string(REPLACE "-" "_" BUSMARK_TARGET "busmark_${BUSMARK_ADAPTER}")
set(BUSMARK_INSTALL "make adapters")
set(BUSMARK_GET "name an installation in CMAKE_PREFIX_PATH, or run make adapters")

get_filename_component(WHEELS "${CMAKE_CURRENT_LIST_DIR}/../../target/middleware/${BUSMARK_ADAPTER}" ABSOLUTE)
find_package(${BUSMARK_PACKAGE} ${BUSMARK_VERSION} QUIET)
string(FIND "${${BUSMARK_PACKAGE}_DIR}" "${WHEELS}/" BEGIN)
if(NOT ${BUSMARK_PACKAGE}_FOUND OR BEGIN EQUAL 0)
  list(PREPEND CMAKE_PREFIX_PATH "${WHEELS}")
  # Wheels bring other libraries with them, and name neither their folders nor their own.
  file(GLOB BUSMARK_LIBRARY_FOLDERS RELATIVE "${WHEELS}" "${WHEELS}/lib"
       "${WHEELS}/lib/python3*/site-packages/*.libs")
  list(TRANSFORM BUSMARK_LIBRARY_FOLDERS PREPEND "\$ORIGIN/../middleware/${BUSMARK_ADAPTER}/")
endif()
