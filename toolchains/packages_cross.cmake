# What packages.cmake did not find in the root folder of a cross build's target. Packages of headers alone are the same
# for every processor and are taken from the machine that builds; those with code are compiled from pinned sources.
# Neighbours: packages.cmake includes this; dependencies.cmake pins, third_party/ compiles.

# An include folder that shows nothing but `folder` of the include folder in which `header` is found on this machine.
function(_dragoman_host_headers folder header out)
  string(TOUPPER "DRAGOMAN_HOST_${folder}_INCLUDE" variable)
  find_path(${variable} "${header}" NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(${variable})
  set(${out} "" PARENT_SCOPE)
  if(${variable})
    set(links "${PROJECT_BINARY_DIR}/host_headers/${folder}")
    file(MAKE_DIRECTORY "${links}")
    file(CREATE_LINK "${${variable}}/${folder}" "${links}/${folder}" SYMBOLIC)
    set(${out} "${links}" PARENT_SCOPE)
  endif()
endfunction()

# Imports the headers as `target` and sets `found`, unless the target exists already.
function(_dragoman_import_host_headers target folder header found)
  if(TARGET ${target})
    return()
  endif()
  _dragoman_host_headers("${folder}" "${header}" include)
  if(include)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${include}"
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include}")
    set(${found} TRUE PARENT_SCOPE)
  endif()
endfunction()

_dragoman_import_host_headers(nlohmann_json::nlohmann_json nlohmann nlohmann/json.hpp nlohmann_json_FOUND)
_dragoman_import_host_headers(CLI11::CLI11 CLI CLI/CLI.hpp CLI11_FOUND)
if(NOT DRAGOMAN_PROTOZERO_INCLUDE)
  _dragoman_host_headers(protozero protozero/pbf_reader.hpp DRAGOMAN_PROTOZERO_INCLUDE)
endif()

# Compiles the pinned package `name` and imports its `archive` as `target`.
function(_dragoman_compile_package name target archive)
  set(prefix "${_dragoman_libraries}/${name}")
  dragoman_build_part(${name} "${prefix}" SOURCES ${name})
  _dragoman_import(${target} "${prefix}/lib/${archive}" "${prefix}/include")
  set(DRAGOMAN_PROGRAM_LICENSES ${DRAGOMAN_PROGRAM_LICENSES} "${prefix}/licenses" PARENT_SCOPE)
endfunction()

if(NOT ZLIB_FOUND)
  _dragoman_compile_package(zlib ZLIB::ZLIB libz.a)
  set(ZLIB_FOUND TRUE)
endif()
if(NOT yaml-cpp_FOUND)
  _dragoman_compile_package(yaml-cpp yaml-cpp libyaml-cpp.a)
  set(yaml-cpp_FOUND TRUE)
endif()
if(NOT DRAGOMAN_UTF8PROC_LIBRARY)
  _dragoman_compile_package(utf8proc utf8proc::utf8proc libutf8proc.a)
  get_target_property(DRAGOMAN_UTF8PROC_LIBRARY utf8proc::utf8proc IMPORTED_LOCATION)
  get_target_property(DRAGOMAN_UTF8PROC_INCLUDE utf8proc::utf8proc INTERFACE_INCLUDE_DIRECTORIES)
endif()
