# Faults in version 11.0.0 of the library that end the process: in its code for TCP (which says of
# itself "TCP support code really is broken") when connections come and go, and in the cache of
# writers when samples expire.
#
# Corrected copies of three files are compiled in place of the originals. A correction that no longer
# fits stops the build: then see whether the fault is still there.

function(busmark_replace variable old new)
  string(FIND "${${variable}}" "${old}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "corrections.cmake does not fit this version of the library:\n${old}")
  endif()
  string(REPLACE "${old}" "${new}" result "${${variable}}")
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()

function(busmark_read name variable)
  get_target_property(sources ddsc SOURCES)
  list(FILTER sources INCLUDE REGEX "/${name}$")
  file(READ "${sources}" content)
  set(${variable} "${content}" PARENT_SCOPE)
endfunction()

function(busmark_swap name text)
  get_target_property(sources ddsc SOURCES)
  set(original ${sources})
  list(FILTER original INCLUDE REGEX "/${name}$")
  list(REMOVE_ITEM sources "${original}")
  set(copy "${CMAKE_BINARY_DIR}/busmark/${name}")
  file(WRITE "${copy}" "${text}")
  set_target_properties(ddsc PROPERTIES SOURCES "${sources};${copy}")
  get_filename_component(folder "${original}" DIRECTORY)
  target_include_directories(ddsc PRIVATE "${folder}")
endfunction()

function(busmark_corrections)
  # A socket is handed to epoll before its entry is filled in. The receive thread may see its first
  # event before that, takes the entry for the trigger pipe, fails to read it, and calls abort().
  busmark_read(ddsi_sockwaitset.c text)
  busmark_replace(text [[
  if (epoll_ctl (ws->epfd, EPOLL_CTL_ADD, fd, &ev) == -1)
    return -1;
  ws->entries[fidx].conn = conn;
  ws->entries[fidx].fd = fd;
  ws->entries[fidx].index = n;
]] [[
  ws->entries[fidx].conn = conn;
  ws->entries[fidx].fd = fd;
  ws->entries[fidx].index = n;
  if (epoll_ctl (ws->epfd, EPOLL_CTL_ADD, fd, &ev) == -1)
  {
    ws->entries[fidx].fd = -1;
    return -1;
  }
]])
  # The entries move when there are more of them, while epoll keeps pointers to them: have room from
  # the start.
  busmark_replace(text "#define WAITSET_DELTA 8\n" "#define WAITSET_DELTA 1024\n")
  busmark_swap(ddsi_sockwaitset.c "${text}")

  # A connection that the peer has closed is freed by the receive thread while another thread writes
  # to it. Closed connections, which have been shut down, are kept until the domain ends; they are
  # chained by a member that nothing else reads.
  busmark_read(ddsi_tcp.c text)
  busmark_replace(text [[
    ddsi_tcp_conn_delete ((ddsi_tcp_conn_t) conn);
]] [[
    struct ddsi_tran_conn ** const head = &fact_tcp->ddsi_tcp_conn_client.m_base.m_conn;
    conn->m_conn = __atomic_load_n (head, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n (head, &conn->m_conn, conn, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      ;
]])
  busmark_replace(text [[
  ddsrt_mutex_destroy (&fact->ddsi_tcp_cache_lock_g);
]] [[
  for (struct ddsi_tran_conn *c = fact->ddsi_tcp_conn_client.m_base.m_conn, *next; c; c = next)
  {
    next = c->m_conn;
    ddsi_tcp_conn_delete ((ddsi_tcp_conn_t) c);
  }
  ddsrt_mutex_destroy (&fact->ddsi_tcp_cache_lock_g);
]])
  busmark_swap(ddsi_tcp.c "${text}")

  # What has been acknowledged is removed in one of two ways. The quick one, of reliable writers that
  # keep all and nothing for late readers, needs a cache without gaps, which an expired sample makes:
  # it then reads through a null pointer. The library takes the other way where there is a deadline;
  # so it does from the first sample on that may expire.
  busmark_read(dds_whc.c text)
  busmark_replace(text [[
  newn->lifespan.t_expire = exp;
]] [[
  newn->lifespan.t_expire = exp;
  if (exp.v != DDSRT_MTIME_NEVER.v)
    whc->wrinfo.has_deadline = 1;
]])
  busmark_swap(dds_whc.c "${text}")
endfunction()

# Once the library's targets are known.
cmake_language(DEFER CALL busmark_corrections)
