// The library's headers, which are C.
#ifndef BUSMARK_MICROXRCEDDS_CLIENT_HPP
#define BUSMARK_MICROXRCEDDS_CLIENT_HPP

#include <ucdr/microcdr.h>
#include <uxr/client/client.h>
#include <uxr/client/util/ping.h>

#if !defined(UCLIENT_PROFILE_UDP) || !defined(UCLIENT_PROFILE_TCP) || !defined(UCLIENT_PROFILE_SERIAL)
#error "Micro XRCE-DDS Client was built without UDP, without TCP or without serial lines"
#endif

#endif
