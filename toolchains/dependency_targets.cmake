# Defines the targets the project links: XNNPACK::XNNPACK, pthreadpool::pthreadpool, hwy::hwy,
# flatbuffers::flatbuffers, the program dragoman::flatc, and Catch2::Catch2WithMain.
# Neighbours: dependencies.cmake includes this; every room's CMakeLists.txt links these names.

_dragoman_target_id(_dragoman_target)
set(_dragoman_libraries "${DRAGOMAN_THIRD_PARTY_DIR}/${_dragoman_target}")
set(DRAGOMAN_STATIC_ARCHIVES "")  # what an installed libdragoman.a has to contain besides its own objects

# An imported static library `target` at `archive`, with headers in `include`.
function(_dragoman_import target archive include)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${archive}"
    INTERFACE_INCLUDE_DIRECTORIES "${include}" INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include}")
endfunction()

find_package(Threads REQUIRED)

# --- XNNPACK, pthreadpool, cpuinfo
if(DRAGOMAN_SYSTEM_XNNPACK)
  find_library(DRAGOMAN_XNNPACK_LIBRARY XNNPACK REQUIRED)
  find_library(DRAGOMAN_PTHREADPOOL_LIBRARY pthreadpool REQUIRED)
  find_path(DRAGOMAN_XNNPACK_INCLUDE xnnpack.h REQUIRED)
  add_library(pthreadpool::pthreadpool UNKNOWN IMPORTED GLOBAL)
  set_target_properties(pthreadpool::pthreadpool PROPERTIES IMPORTED_LOCATION "${DRAGOMAN_PTHREADPOOL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DRAGOMAN_XNNPACK_INCLUDE}")
  add_library(XNNPACK::XNNPACK UNKNOWN IMPORTED GLOBAL)
  set_target_properties(XNNPACK::XNNPACK PROPERTIES IMPORTED_LOCATION "${DRAGOMAN_XNNPACK_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DRAGOMAN_XNNPACK_INCLUDE}" INTERFACE_LINK_LIBRARIES pthreadpool::pthreadpool)
else()
  # Leaving kernels out serves tests: results must be the same bits without them.
  set(_without_all "")
  set(_without_no-vnni AVXVNNI AVXVNNIINT8 AVX256VNNI AVX256VNNIGFNI AVX512VNNI AVX512VNNIGFNI AVX512AMX)
  set(_without_avx2 ${_without_no-vnni} AVX256SKX AVX512F AVX512SKX AVX512VBMI AVX512FP16)
  if(NOT DRAGOMAN_XNNPACK_ISA MATCHES "^(all|no-vnni|avx2)$")
    message(FATAL_ERROR "DRAGOMAN_XNNPACK_ISA is '${DRAGOMAN_XNNPACK_ISA}', expected all, no-vnni or avx2")
  endif()
  set(_prefix "${_dragoman_libraries}/xnnpack-${DRAGOMAN_XNNPACK_ISA}")
  set(_arguments "-DXNNPACK_ENABLE_ASSEMBLY=${DRAGOMAN_XNNPACK_ASSEMBLY}")
  if(DRAGOMAN_XNNPACK_ASSEMBLY)
    string(APPEND _prefix "-assembly")
  endif()
  foreach(_isa IN LISTS _without_${DRAGOMAN_XNNPACK_ISA})
    list(APPEND _arguments "-DXNNPACK_ENABLE_${_isa}=OFF")
  endforeach()
  dragoman_build_part(xnnpack "${_prefix}" SOURCES xnnpack pthreadpool cpuinfo fxdiv ARGUMENTS ${_arguments})
  foreach(_name IN ITEMS XNNPACK microkernels-prod pthreadpool cpuinfo)
    _dragoman_import(${_name}::${_name} "${_prefix}/lib/lib${_name}.a" "${_prefix}/include")
    list(APPEND DRAGOMAN_STATIC_ARCHIVES "${_prefix}/lib/lib${_name}.a")
  endforeach()
  set_property(TARGET pthreadpool::pthreadpool PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
  if(DRAGOMAN_SANITIZE STREQUAL "thread")
    dragoman_build_part(pthreadpool "${_dragoman_libraries}/pthreadpool-thread" SOURCES pthreadpool fxdiv)
    set_property(TARGET pthreadpool::pthreadpool PROPERTY IMPORTED_LOCATION
      "${_dragoman_libraries}/pthreadpool-thread/lib/libpthreadpool.a")
  endif()
  set_property(TARGET XNNPACK::XNNPACK PROPERTY INTERFACE_LINK_LIBRARIES
    microkernels-prod::microkernels-prod pthreadpool::pthreadpool cpuinfo::cpuinfo m)
endif()

# --- Highway
if(NOT CMAKE_CROSSCOMPILING)
  find_package(hwy ${DRAGOMAN_HIGHWAY_OLDEST} CONFIG QUIET GLOBAL)
endif()
if(NOT TARGET hwy::hwy)
  dragoman_build_part(highway "${_dragoman_libraries}/highway" SOURCES highway)
  _dragoman_import(hwy::hwy "${_dragoman_libraries}/highway/lib/libhwy.a" "${_dragoman_libraries}/highway/include")
  list(APPEND DRAGOMAN_STATIC_ARCHIVES "${_dragoman_libraries}/highway/lib/libhwy.a")
endif()
# Arrays of vectors do not compile for SVE. AVX3_DL (Ice Lake and newer) has the int8 dot product and is opt-in. NEON
# with AES would be the same code as NEON without.
set(_disabled HWY_SVE HWY_SVE2 HWY_SVE_256 HWY_SVE2_128 HWY_NEON HWY_AVX3_SPR HWY_AVX3_ZEN4 HWY_SSSE3)
if(DRAGOMAN_SANITIZE)
  # Sanitized kernels take minutes to compile. These two are between others of the same code.
  list(APPEND _disabled HWY_SSE4 HWY_AVX3)
endif()
list(JOIN _disabled "|" _disabled)
set_property(TARGET hwy::hwy APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(${_disabled})"
  HWY_WANT_AVX3_DL)

# --- FlatBuffers: compiler and headers must be of one version
function(_dragoman_system_flatbuffers out)
  set(${out} FALSE PARENT_SCOPE)
  find_program(DRAGOMAN_FLATC flatc)
  find_path(DRAGOMAN_FLATBUFFERS_INCLUDE flatbuffers/base.h)
  mark_as_advanced(DRAGOMAN_FLATC DRAGOMAN_FLATBUFFERS_INCLUDE)
  if(DRAGOMAN_FLATC AND DRAGOMAN_FLATBUFFERS_INCLUDE AND NOT CMAKE_CROSSCOMPILING)
    execute_process(COMMAND "${DRAGOMAN_FLATC}" --version OUTPUT_VARIABLE program)
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" program "${program}")
    file(STRINGS "${DRAGOMAN_FLATBUFFERS_INCLUDE}/flatbuffers/base.h" lines
      REGEX "#define FLATBUFFERS_VERSION_(MAJOR|MINOR|REVISION) [0-9]+")
    string(REGEX MATCHALL "[0-9]+" headers "${lines}")
    list(JOIN headers "." headers)
    if(program VERSION_GREATER_EQUAL DRAGOMAN_FLATBUFFERS_OLDEST AND program VERSION_EQUAL headers)
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

_dragoman_system_flatbuffers(_usable)
add_executable(dragoman::flatc IMPORTED GLOBAL)
add_library(flatbuffers::flatbuffers INTERFACE IMPORTED GLOBAL)
if(_usable)
  set_property(TARGET dragoman::flatc PROPERTY IMPORTED_LOCATION "${DRAGOMAN_FLATC}")
  set_property(TARGET flatbuffers::flatbuffers PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${DRAGOMAN_FLATBUFFERS_INCLUDE}")
else()
  set(_prefix "${DRAGOMAN_THIRD_PARTY_DIR}/host/flatbuffers")
  dragoman_build_part(flatc "${_prefix}" HOST SOURCES flatbuffers)
  set_property(TARGET dragoman::flatc PROPERTY IMPORTED_LOCATION "${_prefix}/bin/flatc")
  set_target_properties(flatbuffers::flatbuffers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_prefix}/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_prefix}/include")
endif()

# --- Catch2
if(DRAGOMAN_BUILD_TESTS)
  if(NOT CMAKE_CROSSCOMPILING)
    find_package(Catch2 ${DRAGOMAN_CATCH2_OLDEST} CONFIG QUIET GLOBAL)
  endif()
  if(NOT TARGET Catch2::Catch2WithMain)
    set(_prefix "${_dragoman_libraries}/catch2")
    dragoman_build_part(catch2 "${_prefix}" SOURCES catch2)
    _dragoman_import(Catch2::Catch2 "${_prefix}/lib/libCatch2.a" "${_prefix}/include")
    _dragoman_import(Catch2::Catch2WithMain "${_prefix}/lib/libCatch2Main.a" "${_prefix}/include")
    set_property(TARGET Catch2::Catch2WithMain PROPERTY INTERFACE_LINK_LIBRARIES Catch2::Catch2)
    list(APPEND CMAKE_MODULE_PATH "${_prefix}/cmake")
  endif()
endif()
