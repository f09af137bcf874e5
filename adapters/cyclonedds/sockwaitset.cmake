# Two faults of version 11.0.0 that end the process when connections over TCP come and go. Both are in
# src/core/ddsi/src/ddsi_sockwaitset.c, the part that uses epoll; UDP, whose sockets are added before
# traffic flows, meets neither.
#
# 1. A socket is handed to epoll before its entry is filled in. The receive thread may see its first
#    event before that, takes the entry for the trigger pipe, fails to read it, and calls abort().
# 2. The entries move when there are more than WAITSET_DELTA, while epoll keeps pointers to them.
#
# This file compiles a corrected copy of that source in place of the original: the order is changed,
# and there is room for as many sockets as a run will have. It is run once the targets are known.

function(busmark_correct_sockwaitset)
  get_target_property(sources ddsc SOURCES)
  set(original ${sources})
  list(FILTER original INCLUDE REGEX "/ddsi_sockwaitset\\.c$")
  file(READ "${original}" text)

  set(early "  if (epoll_ctl (ws->epfd, EPOLL_CTL_ADD, fd, &ev) == -1)\n    return -1;\n")
  set(fill "  ws->entries[fidx].conn = conn;\n  ws->entries[fidx].fd = fd;\n")
  string(APPEND fill "  ws->entries[fidx].index = n;\n")
  string(CONCAT late "  if (epoll_ctl (ws->epfd, EPOLL_CTL_ADD, fd, &ev) == -1)\n  {\n"
    "    ws->entries[fidx].fd = -1;\n    return -1;\n  }\n")
  string(REPLACE "${early}${fill}" "${fill}${late}" corrected "${text}")
  if(corrected STREQUAL text)
    message(FATAL_ERROR "${original} is not as expected: see whether ${CMAKE_CURRENT_FUNCTION_LIST_FILE} is still needed")
  endif()
  string(REPLACE "#define WAITSET_DELTA 8\n" "#define WAITSET_DELTA 1024\n" corrected "${corrected}")

  set(copy "${CMAKE_BINARY_DIR}/busmark/ddsi_sockwaitset.c")
  file(WRITE "${copy}" "${corrected}")
  list(REMOVE_ITEM sources "${original}")
  list(APPEND sources "${copy}")
  set_target_properties(ddsc PROPERTIES SOURCES "${sources}")
  get_filename_component(folder "${original}" DIRECTORY)
  target_include_directories(ddsc PRIVATE "${folder}")
endfunction()

cmake_language(DEFER CALL busmark_correct_sockwaitset)
