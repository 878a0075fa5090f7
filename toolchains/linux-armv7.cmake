# 32-bit ARM Linux with NEON and vfpv4, hard float (Raspberry Pi 2 and newer, Cortex-A7, A15 and newer) with GNU's cross
# compiler: Debian's package g++-arm-linux-gnueabihf. Without vfpv4 there is no fused multiply-add, and no NEON kernel.
# Built programs run here through qemu-user where it is installed; its environment variable QEMU_CPU names the core.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
# XNNPACK adds options of its own to the files that need a newer core; they come later on the command line and win.
# -Wno-psabi: GCC would remark that some calls changed between its versions 6 and 7.
set(CMAKE_C_FLAGS_INIT "-march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -Wno-psabi")
set(CMAKE_CXX_FLAGS_INIT "-march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -Wno-psabi")

# Libraries and headers of the machine that builds must not be found; its programs must.
set(CMAKE_FIND_ROOT_PATH /usr/arm-linux-gnueabihf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(DRAGOMAN_QEMU NAMES qemu-arm qemu-arm-static)
mark_as_advanced(DRAGOMAN_QEMU)
if(DRAGOMAN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${DRAGOMAN_QEMU}" -L /usr/arm-linux-gnueabihf)
endif()
