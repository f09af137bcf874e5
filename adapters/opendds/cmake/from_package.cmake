# OpenDDS 3.14 and later, by its CMake package. Nobody has tried it yet: hence the switch.

option(BUSMARK_OPENDDS_UNTRIED "Build against an OpenDDS with which this adapter was never run" OFF)
if(NOT BUSMARK_OPENDDS_UNTRIED)
  message(FATAL_ERROR
    "OpenDDS ${OpenDDS_VERSION} was found by its CMake package in ${OpenDDS_DIR}. This adapter has "
    "been proven with OpenDDS 3.13 only, which has no such package: set DDS_ROOT, ACE_ROOT and "
    "TAO_ROOT to it. Or pass -D BUSMARK_OPENDDS_UNTRIED=ON, and run the conformance suite.")
endif()

if(BUSMARK_USER_TYPE)
  message(FATAL_ERROR "a type of the user's has been proven with OpenDDS 3.13 only")
endif()

# These versions know annotations and anonymous types.
configure_file(${repository}/idl/busmark.idl ${generated}/busmark_types.idl COPYONLY)
opendds_target_sources(${target} PRIVATE ${generated}/busmark_types.idl
                       TAO_IDL_OPTIONS -Cw OPENDDS_IDL_OPTIONS -Cw)
target_link_libraries(${target} PRIVATE
  OpenDDS::Dcps OpenDDS::Rtps OpenDDS::Rtps_Udp OpenDDS::Tcp)
if(TARGET OpenDDS::Security)
  target_link_libraries(${target} PRIVATE OpenDDS::Security)
  set(secured ON)
else()
  set(secured OFF)
endif()
