# One run of the compiler for sdp_generate: writes headers, a list of them, and for the build tool
# what they were made of.
cmake_minimum_required(VERSION 3.20)

set(includes "")
foreach(import IN LISTS imports)
  list(APPEND includes -I "${import}")
endforeach()
set(wishes "")
if(services)
  set(wishes --services)
endif()
if(forms)
  list(APPEND wishes "--forms=${forms}")
endif()
execute_process(
  COMMAND "${compiler}" gen ${schemas} ${includes} ${wishes} --out "cpp=${folder}/include" --cpp-runtime
          sdp/sdp.hpp --deps "${folder}/rule.d"
  RESULT_VARIABLE failed OUTPUT_QUIET)
if(failed)
  message(FATAL_ERROR "no C++ was made of ${schemas}")
endif()

# The words of one side of a rule of make, as a list of absolute paths.
function(paths_of out words)
  string(ASCII 1 space)
  string(REPLACE "\\ " "${space}" words "${words}")
  string(REPLACE " " ";" words "${words}")
  set(paths "")
  foreach(word IN LISTS words)
    string(REPLACE "${space}" " " word "${word}")
    string(REPLACE "\\#" "#" word "${word}")
    string(REPLACE "$$" "$" word "${word}")
    get_filename_component(word "${word}" ABSOLUTE)
    list(APPEND paths "${word}")
  endforeach()
  set(${out} "${paths}" PARENT_SCOPE)
endfunction()

# Paths as words of a rule of make.
function(words_of out)
  string(REPLACE "$" "$$" words "${ARGN}")
  string(REPLACE "#" "\\#" words "${words}")
  string(REPLACE " " "\\ " words "${words}")
  string(REPLACE ";" " " words "${words}")
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

file(READ "${folder}/rule.d" rule)
string(STRIP "${rule}" rule)
string(FIND "${rule}" ": " colon)
string(SUBSTRING "${rule}" 0 ${colon} made)
math(EXPR behind "${colon} + 2")
string(SUBSTRING "${rule}" ${behind} -1 of)
paths_of(headers "${made}")
paths_of(sources "${of}")

# The build is configured again when the list is touched, so only one that differs is written. A
# header that isn't made any more would otherwise be found by those who still include it.
set(before "")
if(EXISTS "${folder}/headers.txt")
  file(STRINGS "${folder}/headers.txt" before)
endif()
if(NOT before STREQUAL headers)
  set(gone ${before})
  list(REMOVE_ITEM gone ${headers})
  if(gone)
    file(REMOVE ${gone})
  endif()
  string(REPLACE ";" "\n" lines "${headers}")
  file(WRITE "${folder}/headers.txt" "${lines}\n")
endif()

words_of(target "${folder}/stamp")
words_of(prerequisites ${sources})
file(WRITE "${folder}/stamp.d" "${target}: ${prerequisites}\n")
file(TOUCH "${folder}/stamp")
