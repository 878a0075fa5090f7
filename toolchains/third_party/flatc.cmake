# FlatBuffers: the schema compiler, which runs on the machine that builds, and the headers that generated code needs.
foreach(option IN ITEMS TESTS FLATLIB FLATHASH GRPCTEST CPP17)
  set(FLATBUFFERS_BUILD_${option} OFF CACHE BOOL "")
endforeach()
set(FLATBUFFERS_INSTALL OFF CACHE BOOL "")
set(FLATBUFFERS_STRICT_MODE OFF CACHE BOOL "")
add_compile_options(-O1)  # halves the time to build it
add_subdirectory(${FLATBUFFERS_SOURCE_DIR} flatbuffers EXCLUDE_FROM_ALL)
add_custom_target(part DEPENDS flatc)
install(PROGRAMS $<TARGET_FILE:flatc> DESTINATION bin)
install(DIRECTORY ${FLATBUFFERS_SOURCE_DIR}/include/flatbuffers DESTINATION include)
install(FILES ${FLATBUFFERS_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME flatbuffers)
