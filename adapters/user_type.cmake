# What adapters for CMake have in common for a type of the user's: -D BUSMARK_USER_IDL=FILE and
# -D BUSMARK_USER_TYPE=MODULE::NAME, both or none.
set(BUSMARK_USER_IDL "" CACHE FILEPATH "IDL file with a type of the user's")
set(BUSMARK_USER_TYPE "" CACHE STRING "scoped name of that type")

if(BUSMARK_USER_IDL OR BUSMARK_USER_TYPE)
  if(NOT BUSMARK_USER_IDL OR NOT BUSMARK_USER_TYPE)
    message(FATAL_ERROR "BUSMARK_USER_IDL and BUSMARK_USER_TYPE go together")
  endif()
  get_filename_component(BUSMARK_USER_IDL "${BUSMARK_USER_IDL}" ABSOLUTE)
  get_filename_component(BUSMARK_USER_FILE "${BUSMARK_USER_IDL}" NAME)
  get_filename_component(BUSMARK_USER_DIR "${BUSMARK_USER_IDL}" DIRECTORY)
  get_filename_component(BUSMARK_IDL_DIR "${CMAKE_CURRENT_LIST_DIR}/../idl" ABSOLUTE)
  # Where the compiler looks for what is included.
  set(BUSMARK_IDL_INCLUDES -I "${BUSMARK_IDL_DIR}" -I "${BUSMARK_USER_DIR}")
endif()

# Writes busmark::UserSample with the user's type.
function(busmark_user_sample file)
  configure_file("${BUSMARK_IDL_DIR}/user_sample.idl.in" "${file}" @ONLY)
endfunction()

# Runs a command while configuring; what it says is the error if it fails.
function(busmark_run folder)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${folder}" RESULT_VARIABLE code
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${output}")
  endif()
endfunction()
