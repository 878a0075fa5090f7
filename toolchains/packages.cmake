# Small packages of the system that the converter, the command line program and tests use; none reaches the library.
# Each message names Debian's package. A cross build takes from packages_cross.cmake what its target's root folder lacks.
function(dragoman_require found what package)
  if(NOT found)
    message(FATAL_ERROR "${what} was not found: install ${package} (Debian's name) or configure with "
      "-DDRAGOMAN_BUILD_CONVERTER=OFF -DDRAGOMAN_BUILD_TESTS=OFF to build the library alone")
  endif()
endfunction()

find_package(nlohmann_json 3.10 CONFIG QUIET)
find_package(CLI11 2.1 CONFIG QUIET)
find_package(yaml-cpp CONFIG QUIET)
find_package(ZLIB QUIET)
find_path(DRAGOMAN_PROTOZERO_INCLUDE protozero/pbf_reader.hpp)
find_path(DRAGOMAN_UTF8PROC_INCLUDE utf8proc.h)
find_library(DRAGOMAN_UTF8PROC_LIBRARY utf8proc)
mark_as_advanced(DRAGOMAN_PROTOZERO_INCLUDE DRAGOMAN_UTF8PROC_INCLUDE DRAGOMAN_UTF8PROC_LIBRARY)
set(DRAGOMAN_PROGRAM_LICENSES "")  # folders of licences of what was compiled for the program
if(CMAKE_CROSSCOMPILING)
  include(${CMAKE_CURRENT_LIST_DIR}/packages_cross.cmake)
endif()

dragoman_require("${nlohmann_json_FOUND}" nlohmann-json nlohmann-json3-dev)
dragoman_require("${CLI11_FOUND}" CLI11 libcli11-dev)
dragoman_require("${yaml-cpp_FOUND}" yaml-cpp libyaml-cpp-dev)
dragoman_require("${ZLIB_FOUND}" zlib zlib1g-dev)
dragoman_require("${DRAGOMAN_PROTOZERO_INCLUDE}" protozero libprotozero-dev)
dragoman_require("${DRAGOMAN_UTF8PROC_LIBRARY}" utf8proc libutf8proc-dev)
