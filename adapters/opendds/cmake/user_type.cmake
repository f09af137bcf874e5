# A type of the user's with OpenDDS 3.13: BUSMARK_USER_IDL, BUSMARK_USER_TYPE.
#
# The user's file and all that it includes become one: code is generated for the file that is named, not
# for those within it.
set(user ${generated}/user_type.idl)
busmark_run(${generated} ${CMAKE_CXX_COMPILER} -E -P -x c -D __OPENDDS_IDL -D __TAO_IDL
            -I "${BUSMARK_USER_DIR}" "${BUSMARK_USER_IDL}" -o ${user})
set(BUSMARK_USER_FILE user_type.idl)
busmark_user_sample(${generated}/user_sample.in.idl)
busmark_run(${generated} ${CMAKE_COMMAND} -D FROM=${generated}/user_sample.in.idl
            -D TO=${generated}/user_sample.idl -P ${convert})
opendds_types(user_type)
opendds_types(user_sample user_type busmark_types)
target_compile_definitions(busmark_opendds PRIVATE "BUSMARK_USER_TYPE=\"${BUSMARK_USER_TYPE}\"")
