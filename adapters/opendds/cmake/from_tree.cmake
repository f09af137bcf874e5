# OpenDDS 3.13 as its own build leaves it: DDS_ROOT, ACE_ROOT and TAO_ROOT name the source trees.

set(remedy "OpenDDS is in no package registry. Build OpenDDS 3.13 from its release with its own \
configure script, source the setenv.sh that it writes (it sets DDS_ROOT, ACE_ROOT and TAO_ROOT), \
and run CMake again; or give a version with a CMake package by OpenDDS_DIR or CMAKE_PREFIX_PATH.")

foreach(name DDS_ROOT ACE_ROOT TAO_ROOT)
  set(${name} "$ENV{${name}}" CACHE PATH "Source tree of OpenDDS, ACE or TAO")
  if(NOT ${name} OR NOT IS_DIRECTORY "${${name}}")
    message(FATAL_ERROR "OpenDDS is missing: ${name} names no folder. ${remedy}")
  endif()
endforeach()

# --- its version
file(STRINGS ${DDS_ROOT}/dds/Version.h line REGEX "define DDS_VERSION ")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" opendds_version "${line}")
if(NOT opendds_version VERSION_GREATER_EQUAL 3.13 OR NOT opendds_version VERSION_LESS 3.14)
  message(FATAL_ERROR "${DDS_ROOT} holds OpenDDS ${opendds_version}, which is not 3.13. ${remedy}")
endif()
message(STATUS "OpenDDS ${opendds_version} in ${DDS_ROOT}")

# --- its tools and libraries
find_program(OPENDDS_IDL opendds_idl PATHS ${DDS_ROOT}/bin NO_DEFAULT_PATH)
find_program(TAO_IDL tao_idl PATHS ${ACE_ROOT}/bin ${TAO_ROOT}/TAO_IDL NO_DEFAULT_PATH)
if(NOT OPENDDS_IDL OR NOT TAO_IDL)
  message(FATAL_ERROR "opendds_idl or tao_idl has not been built in ${DDS_ROOT}. ${remedy}")
endif()
foreach(name OpenDDS_Rtps_Udp OpenDDS_Rtps OpenDDS_Tcp OpenDDS_Dcps
             TAO_BiDirGIOP TAO_PI TAO_CodecFactory TAO_PortableServer TAO_AnyTypeCode TAO ACE)
  find_library(LIBRARY_${name} ${name} PATHS ${DDS_ROOT}/lib ${ACE_ROOT}/lib ${TAO_ROOT}/lib
               NO_DEFAULT_PATH)
  if(NOT LIBRARY_${name})
    message(FATAL_ERROR "lib${name}.so has not been built in ${DDS_ROOT}. ${remedy}")
  endif()
  target_link_libraries(${target} PRIVATE ${LIBRARY_${name}})
endforeach()
find_package(Threads REQUIRED)
target_link_libraries(${target} PRIVATE Threads::Threads)
# The trees are where the libraries stay.
set_target_properties(${target} PROPERTIES BUILD_RPATH "${DDS_ROOT}/lib;${ACE_ROOT}/lib"
                                                 INSTALL_RPATH "${DDS_ROOT}/lib;${ACE_ROOT}/lib")
# An RPATH, not a RUNPATH: it holds for what these libraries need in turn, too.
target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
target_include_directories(${target} SYSTEM PRIVATE ${DDS_ROOT} ${ACE_ROOT} ${TAO_ROOT})

# --- how the libraries were built: programs must agree, or they crash
find_library(LIBRARY_OpenDDS_Security OpenDDS_Security PATHS ${DDS_ROOT}/lib NO_DEFAULT_PATH)
if(LIBRARY_OpenDDS_Security)
  target_compile_definitions(${target} PRIVATE OPENDDS_SECURITY)
  target_link_libraries(${target} PRIVATE ${LIBRARY_OpenDDS_Security})
  set(secured ON)
else()
  message(STATUS "without security: configure OpenDDS with --security to have it")
  set(secured OFF)
endif()
target_compile_definitions(${target} PRIVATE ACE_HAS_EXCEPTIONS __ACE_INLINE__ ACE_NDEBUG)

# --- types: idl/busmark.idl as that version reads it, then opendds_idl, then tao_idl twice
set(convert ${CMAKE_CURRENT_LIST_DIR}/convert_idl.cmake)
set(types ${generated}/busmark_types.idl)
add_custom_command(
  OUTPUT ${types}
  COMMAND ${CMAKE_COMMAND} -D FROM=${repository}/idl/busmark.idl -D TO=${types} -P ${convert}
  DEPENDS ${repository}/idl/busmark.idl ${convert}
  VERBATIM)
# The tools find their libraries, their preprocessor and each other by these.
set(tool ${CMAKE_COMMAND} -E env DDS_ROOT=${DDS_ROOT} ACE_ROOT=${ACE_ROOT} TAO_ROOT=${TAO_ROOT}
         "LD_LIBRARY_PATH=${DDS_ROOT}/lib:${ACE_ROOT}/lib:$ENV{LD_LIBRARY_PATH}")
# -Cw: a member called header of type Header is no error. -Sa -St: nothing for CORBA's any.
set(flags -Cw -Sa -St -I${DDS_ROOT} -I${TAO_ROOT} -I${generated} -o ${generated})
# Adds the code that is generated from ${generated}/NAME.idl, which includes the files named after it.
function(opendds_types name)
  set(types ${generated}/${name})
  list(TRANSFORM ARGN PREPEND ${generated}/ OUTPUT_VARIABLE included)
  list(TRANSFORM included APPEND .idl)
  add_custom_command(
    OUTPUT ${types}TypeSupport.idl ${types}TypeSupportImpl.cpp ${types}TypeSupportImpl.h
    COMMAND ${tool} ${OPENDDS_IDL} ${flags} ${types}.idl
    DEPENDS ${types}.idl ${included}
    VERBATIM)
  foreach(idl ${types} ${types}TypeSupport)
    add_custom_command(
      OUTPUT ${idl}C.cpp ${idl}C.h
      COMMAND ${tool} ${TAO_IDL} ${flags} -SS ${idl}.idl
      DEPENDS ${types}TypeSupport.idl
      VERBATIM)
  endforeach()
  set(sources ${types}C.cpp ${types}TypeSupportC.cpp ${types}TypeSupportImpl.cpp)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-w")
  target_sources(${target} PRIVATE ${sources})
endfunction()
opendds_types(busmark_types)
if(BUSMARK_USER_TYPE)
  include(${CMAKE_CURRENT_LIST_DIR}/user_type.cmake)
endif()
