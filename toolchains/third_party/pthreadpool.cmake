# pthreadpool once more, instrumented: ThreadSanitizer has to see how its threads hand work over, or it reports races
# that are none. The rest of XNNPACK needs no instrumentation.
add_compile_options(-fsanitize=thread -g $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
set(PTHREADPOOL_LIBRARY_TYPE static CACHE STRING "")
set(PTHREADPOOL_BUILD_TESTS OFF CACHE BOOL "")
set(PTHREADPOOL_BUILD_BENCHMARKS OFF CACHE BOOL "")
add_subdirectory(${PTHREADPOOL_SOURCE_DIR} pthreadpool EXCLUDE_FROM_ALL)
add_custom_target(part DEPENDS pthreadpool)
install(FILES $<TARGET_FILE:pthreadpool> DESTINATION lib)
