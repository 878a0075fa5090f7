# Merges static archives into WORK/libdragoman.a. Usage: cmake -DAR=ar -DWORK=folder "-DARCHIVES=a.a;b.a" -P this
# ar's script language knows no quoting, so the archives are copied to plain names first.

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(script "CREATE libdragoman.a\n")
set(number 0)
foreach(archive IN LISTS ARCHIVES)
  math(EXPR number "${number} + 1")
  configure_file("${archive}" "${WORK}/${number}.a" COPYONLY)
  string(APPEND script "ADDLIB ${number}.a\n")
endforeach()
file(WRITE "${WORK}/script" "${script}SAVE\nEND\n")
execute_process(COMMAND "${AR}" -M INPUT_FILE "${WORK}/script" WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
