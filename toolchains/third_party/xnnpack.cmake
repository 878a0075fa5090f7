# XNNPACK with pthreadpool and cpuinfo. Assembly kernels stay off by default: some of them round differently from the
# others, and results must not depend on the processor.
set(XNNPACK_LIBRARY_TYPE static CACHE STRING "")
foreach(option IN ITEMS BUILD_TESTS BUILD_BENCHMARKS BUILD_ALL_MICROKERNELS ENABLE_KLEIDIAI)
  set(XNNPACK_${option} OFF CACHE BOOL "")
endforeach()
set(CPUINFO_LOG_LEVEL none CACHE STRING "")
foreach(option IN ITEMS TOOLS UNIT_TESTS MOCK_TESTS BENCHMARKS PKG_CONFIG)
  set(CPUINFO_BUILD_${option} OFF CACHE BOOL "")
endforeach()

add_subdirectory(${XNNPACK_SOURCE_DIR} xnnpack EXCLUDE_FROM_ALL)

set(libraries XNNPACK microkernels-prod pthreadpool cpuinfo)
add_custom_target(part DEPENDS ${libraries})
foreach(library IN LISTS libraries)
  install(FILES $<TARGET_FILE:${library}> DESTINATION lib)
endforeach()
install(FILES ${XNNPACK_SOURCE_DIR}/include/xnnpack.h ${PTHREADPOOL_SOURCE_DIR}/include/pthreadpool.h
  ${CPUINFO_SOURCE_DIR}/include/cpuinfo.h DESTINATION include)
install(FILES ${XNNPACK_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME xnnpack)
install(FILES ${PTHREADPOOL_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME pthreadpool)
install(FILES ${CPUINFO_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME cpuinfo)
install(FILES ${FXDIV_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME fxdiv)
