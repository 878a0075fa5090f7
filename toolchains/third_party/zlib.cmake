# zlib: what compresses and expands memory, without its files and streams. Its own CMakeLists.txt would write into the
# sources, which all targets share.
set(sources adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil)
list(TRANSFORM sources PREPEND "${ZLIB_SOURCE_DIR}/")
list(TRANSFORM sources APPEND ".c")
add_library(z STATIC ${sources})
add_custom_target(part DEPENDS z)
install(FILES $<TARGET_FILE:z> DESTINATION lib)
install(FILES ${ZLIB_SOURCE_DIR}/zlib.h ${ZLIB_SOURCE_DIR}/zconf.h DESTINATION include)
install(FILES ${ZLIB_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME zlib)
