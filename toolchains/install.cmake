# Installation: libdragoman.a with its third-party code inside, the two public headers, a CMake package.
# Neighbours: dependency_targets.cmake lists the archives to merge; platforms/cli installs the program; tests/install
# builds outside consumers.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Libraries of the system that are linked rather than merged, as full paths.
set(DRAGOMAN_EXTERNAL_LIBRARIES "")
if(DRAGOMAN_SYSTEM_XNNPACK)
  list(APPEND DRAGOMAN_EXTERNAL_LIBRARIES "${DRAGOMAN_XNNPACK_LIBRARY}" "${DRAGOMAN_PTHREADPOOL_LIBRARY}")
endif()
get_target_property(_highway hwy::hwy LOCATION)
if(NOT _highway IN_LIST DRAGOMAN_STATIC_ARCHIVES)
  list(APPEND DRAGOMAN_EXTERNAL_LIBRARIES "${_highway}")
endif()

install(CODE "
  execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DAR=${CMAKE_AR}\" \"-DWORK=${PROJECT_BINARY_DIR}/merged\"
    \"-DARCHIVES=$<TARGET_FILE:dragoman>;${DRAGOMAN_STATIC_ARCHIVES}\"
    -P \"${CMAKE_CURRENT_LIST_DIR}/merge_archives.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES "${PROJECT_BINARY_DIR}/merged/libdragoman.a" DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY runtime/include/dragoman DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
list(TRANSFORM DRAGOMAN_STATIC_ARCHIVES REPLACE "/lib/lib[^/]+$" "/licenses" OUTPUT_VARIABLE _licenses)
list(APPEND _licenses ${DRAGOMAN_PROGRAM_LICENSES})
list(REMOVE_DUPLICATES _licenses)
install(DIRECTORY ${_licenses} DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(toolchains/dragomanConfig.cmake.in "${PROJECT_BINARY_DIR}/dragomanConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dragoman PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dragomanConfig.cmake" "${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dragoman)
