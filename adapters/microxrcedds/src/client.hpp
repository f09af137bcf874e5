// The library's headers, which are C.
#ifndef BUSMARK_MICROXRCEDDS_CLIENT_HPP
#define BUSMARK_MICROXRCEDDS_CLIENT_HPP

#include <ucdr/microcdr.h>
#include <uxr/client/client.h>

#if !defined(UCLIENT_PROFILE_UDP) || !defined(UCLIENT_PROFILE_TCP)
#error "Micro XRCE-DDS Client was built without UDP or without TCP"
#endif

#endif
