# Catch2, the test framework, with its main(). Its CMake helper (catch_discover_tests) is installed too.
add_compile_options(-O1)  # halves the time to build it
add_subdirectory(${CATCH2_SOURCE_DIR} catch2 EXCLUDE_FROM_ALL)
add_custom_target(part DEPENDS Catch2 Catch2WithMain)
install(FILES $<TARGET_FILE:Catch2> $<TARGET_FILE:Catch2WithMain> DESTINATION lib)
install(DIRECTORY ${CATCH2_SOURCE_DIR}/src/catch2 ${CMAKE_BINARY_DIR}/catch2/generated-includes/catch2 DESTINATION include
  FILES_MATCHING PATTERN "*.hpp")
install(FILES ${CATCH2_SOURCE_DIR}/extras/Catch.cmake ${CATCH2_SOURCE_DIR}/extras/CatchAddTests.cmake
  DESTINATION cmake)
