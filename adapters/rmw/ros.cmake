# ROS 2, of what is sourced or of wheels, and the message and the service with their type support: for the adapter, and for
# the bare loop of the bench. Before come BUSMARK_ADAPTER and BUSMARK_DISTRIBUTIONS; BUSMARK_GENERATE, python, where Python
# is to have both.
get_filename_component(BUSMARK_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

set(WHEELS "${BUSMARK_ROOT}/target/middleware/${BUSMARK_ADAPTER}")
set(PREFIXES "${WHEELS}")
if("$ENV{ROS_DISTRO}" IN_LIST BUSMARK_DISTRIBUTIONS)
  string(REPLACE ":" ";" PREFIXES "$ENV{AMENT_PREFIX_PATH}")
endif()

# Each package has a folder of its own for headers.
set(INCLUDES)
set(LIBRARIES)
set(PACKAGES)
foreach(PREFIX IN LISTS PREFIXES)
  if(EXISTS "${PREFIX}/share/rmw/package.xml")
    set(ROS "${PREFIX}")
  endif()
  file(GLOB FOLDERS LIST_DIRECTORIES true "${PREFIX}/include/*")
  list(APPEND INCLUDES "${PREFIX}/include" ${FOLDERS})
  list(APPEND LIBRARIES "${PREFIX}/lib")
  file(GLOB FOLDERS "${PREFIX}/lib/python3*/site-packages")
  list(APPEND PACKAGES ${FOLDERS})
endforeach()
if(NOT ROS AND "$ENV{ROS_DISTRO}" IN_LIST BUSMARK_DISTRIBUTIONS)
  message(FATAL_ERROR "ROS_DISTRO is $ENV{ROS_DISTRO}, but AMENT_PREFIX_PATH names no package rmw: half of ROS 2 is sourced")
elseif(NOT ROS)
  message(FATAL_ERROR "neither ROS 2 nor its wheels are here")
endif()
foreach(PACKAGE rmw rmw_fastrtps_cpp ${BUSMARK_LAYER})
  file(READ "${ROS}/share/${PACKAGE}/package.xml" TEXT)
  string(REGEX MATCH "<version>([^<]+)" TEXT "${TEXT}")
  set(${PACKAGE}_VERSION "${CMAKE_MATCH_1}")
endforeach()
# Its third series has another name.
find_library(FASTDDS NAMES fastdds fastrtps PATHS ${LIBRARIES} NO_DEFAULT_PATH REQUIRED)

# The message, the service and their type support.
set(GENERATED "${CMAKE_CURRENT_BINARY_DIR}/generated")
file(REMOVE_RECURSE "${GENERATED}")
find_program(PYTHON python3 PATHS "${BUSMARK_ROOT}/.venv/bin" NO_DEFAULT_PATH)
find_program(PYTHON python3)
list(JOIN PACKAGES ":" PYTHONPATH)
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
          "${PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/generate.py" "${ROS}" "${GENERATED}" ${BUSMARK_GENERATE}
  RESULT_VARIABLE CODE OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE OUTPUT)
if(NOT CODE EQUAL 0)
  message(FATAL_ERROR "the type support of message and service cannot be generated:\n${OUTPUT}")
endif()
set(GENERATED_INCLUDES "${GENERATED}/c" "${GENERATED}/introspection")
file(GLOB_RECURSE GENERATED_SOURCES "${GENERATED}/c/*.c" "${GENERATED}/c/*.cpp" "${GENERATED}/introspection/*.c"
  "${GENERATED}/python/*.c")
# What messages of the service's events need.
set(GENERATED_LIBRARIES builtin_interfaces__rosidl_generator_c)
foreach(PART rosidl_generator_c rosidl_typesupport_fastrtps_c rosidl_typesupport_fastrtps_cpp rosidl_typesupport_introspection_c)
  list(APPEND GENERATED_LIBRARIES service_msgs__${PART})
endforeach()
set_source_files_properties(${GENERATED_SOURCES} PROPERTIES COMPILE_OPTIONS "-w")

# Where what is linked is found: of wheels beside what is built into target/release.
if(ROS STREQUAL WHEELS)
  file(GLOB FOLDERS RELATIVE "${WHEELS}" "${WHEELS}/lib" "${WHEELS}/lib/python3*/site-packages/*.libs")
  list(TRANSFORM FOLDERS PREPEND "\$ORIGIN/../middleware/${BUSMARK_ADAPTER}/")
else()
  set(FOLDERS ${LIBRARIES})
endif()
