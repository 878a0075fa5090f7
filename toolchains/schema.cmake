# dragoman_schema: the C++ headers that flatc generates from schema/*.fbs, seen as "schema/<name>_generated.h".
# Neighbours: linked by runtime/model, runtime/ops and the converter's writer.

file(GLOB _schemas CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/schema/*.fbs")
set(_generated_dir "${PROJECT_BINARY_DIR}/generated")
set(_generated "")
foreach(_schema IN LISTS _schemas)
  cmake_path(GET _schema STEM _name)
  set(_header "${_generated_dir}/schema/${_name}_generated.h")
  add_custom_command(OUTPUT "${_header}"
    COMMAND dragoman::flatc --cpp --scoped-enums --gen-object-api --filename-suffix _generated
      -I "${PROJECT_SOURCE_DIR}/schema" -o "${_generated_dir}/schema" "${_schema}"
    DEPENDS ${_schemas} dragoman::flatc COMMENT "flatc ${_name}.fbs" VERBATIM)
  list(APPEND _generated "${_header}")
endforeach()

add_custom_target(dragoman_schema_headers DEPENDS ${_generated})
add_library(dragoman_schema INTERFACE)
add_dependencies(dragoman_schema dragoman_schema_headers)
target_include_directories(dragoman_schema SYSTEM INTERFACE "${_generated_dir}" "${_generated_dir}/schema")
target_link_libraries(dragoman_schema INTERFACE flatbuffers::flatbuffers)
