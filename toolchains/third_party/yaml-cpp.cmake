# yaml-cpp, which reads the vocabularies and configurations of Marian models.
foreach(option IN ITEMS BUILD_TESTS BUILD_TOOLS BUILD_CONTRIB INSTALL FORMAT_SOURCE)
  set(YAML_CPP_${option} OFF CACHE BOOL "")
endforeach()
add_subdirectory(${YAML_CPP_SOURCE_DIR} yaml-cpp EXCLUDE_FROM_ALL)
add_custom_target(part DEPENDS yaml-cpp)
install(FILES $<TARGET_FILE:yaml-cpp> DESTINATION lib)
install(DIRECTORY ${YAML_CPP_SOURCE_DIR}/include/yaml-cpp DESTINATION include FILES_MATCHING PATTERN "*.h"
  PATTERN "contrib" EXCLUDE)
install(FILES ${YAML_CPP_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME yaml-cpp)
