# 64-bit ARM Linux (Raspberry Pi 3 to 5, servers) with GNU's cross compiler: Debian's package g++-aarch64-linux-gnu.
# Built programs run here through qemu-user where it is installed; its environment variable QEMU_CPU names the core.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Libraries and headers of the machine that builds must not be found; its programs must.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(DRAGOMAN_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(DRAGOMAN_QEMU)
if(DRAGOMAN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${DRAGOMAN_QEMU}" -L /usr/aarch64-linux-gnu)
endif()
