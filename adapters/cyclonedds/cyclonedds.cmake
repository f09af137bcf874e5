# Options of the C library that the crate's build script does not pass on itself. A toolchain file is
# what CMake takes from the environment; it describes no other compiler or system.

# The crate would build RelWithDebInfo, which is -O2 with assertions off; measure what users ship.
set(CMAKE_BUILD_TYPE "Release" CACHE STRING "" FORCE)
# Off by default in the crate's copy of the source.
set(ENABLE_TCP "ON" CACHE STRING "" FORCE)
# "AUTO" finds Debian's iceoryx packages where they are installed; its C++ plug-in does not link
# statically. Shared memory is not among this adapter's transports.
set(ENABLE_ICEORYX "OFF" CACHE STRING "" FORCE)
set(ENABLE_ICEORYX2 "OFF" CACHE STRING "" FORCE)
# See there.
set(CMAKE_PROJECT_CycloneDDS_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/corrections.cmake")
