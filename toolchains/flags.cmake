# Compiler flags of our own code: dragoman_runtime_flags for the library's rooms, dragoman_flags for the rest.
# Neighbours: runtime/ links the first, converter/, platforms/ and tests/ the second; third-party code is built apart.

find_program(DRAGOMAN_CCACHE ccache)
mark_as_advanced(DRAGOMAN_CCACHE)
if(DRAGOMAN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${DRAGOMAN_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${DRAGOMAN_CCACHE}")
endif()

add_library(dragoman_flags INTERFACE)
target_compile_options(dragoman_flags INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string in GCC 12 (GCC bugs 105329 and 105651).
  target_compile_options(dragoman_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
endif()
add_library(dragoman_runtime_flags INTERFACE)
target_link_libraries(dragoman_runtime_flags INTERFACE dragoman_flags)
target_compile_options(dragoman_runtime_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fvisibility=hidden>)
target_compile_definitions(dragoman_runtime_flags INTERFACE "DRAGOMAN_VERSION=\"${PROJECT_VERSION}\"")

# These two hold for whole folders rather than target by target, because one object without them spoils the result: a
# contracted a*b+c makes results depend on the instruction set, and an object without a sanitizer hides defects.
add_compile_options(-ffp-contract=off)
if(DRAGOMAN_SANITIZE)
  # The check of virtual calls (vptr) asks for RTTI, which the library is compiled without.
  add_compile_options(-fsanitize=${DRAGOMAN_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DRAGOMAN_SANITIZE})
endif()
