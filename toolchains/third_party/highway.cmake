# Highway: headers and the small library that asks the processor what it can do.
set(HWY_ENABLE_CONTRIB OFF CACHE BOOL "")
set(HWY_ENABLE_EXAMPLES OFF CACHE BOOL "")
set(HWY_ENABLE_TESTS OFF CACHE BOOL "")
set(HWY_ENABLE_INSTALL OFF CACHE BOOL "")
add_subdirectory(${HIGHWAY_SOURCE_DIR} highway EXCLUDE_FROM_ALL)
add_custom_target(part DEPENDS hwy)
install(FILES $<TARGET_FILE:hwy> DESTINATION lib)
install(DIRECTORY ${HIGHWAY_SOURCE_DIR}/hwy DESTINATION include FILES_MATCHING PATTERN "*.h"
  PATTERN "contrib" EXCLUDE PATTERN "tests" EXCLUDE PATTERN "examples" EXCLUDE)
install(FILES ${HIGHWAY_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME highway)
