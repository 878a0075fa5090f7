# utf8proc, which knows Unicode's normal forms and character classes.
add_library(utf8proc STATIC ${UTF8PROC_SOURCE_DIR}/utf8proc.c)
target_compile_definitions(utf8proc PRIVATE UTF8PROC_STATIC)
add_custom_target(part DEPENDS utf8proc)
install(FILES $<TARGET_FILE:utf8proc> DESTINATION lib)
install(FILES ${UTF8PROC_SOURCE_DIR}/utf8proc.h DESTINATION include)
install(FILES ${UTF8PROC_SOURCE_DIR}/LICENSE.md DESTINATION licenses RENAME utf8proc)
