# cmake -DSCRIPT=source_hash.cmake -DWORK=folder -P run.cmake
#
# The hash is another when a file is, and the same for the same contents elsewhere; a source with the
# same hash keeps its time, so that nothing is built again.
function(hash_of out folder)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DOUT=${folder}/hash.cpp -DNAME=kHash -DNAMESPACE=a
            "-DFILES=${folder}/one;${folder}/two" -P ${SCRIPT}
    COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${folder}/hash.cpp text)
  if(NOT text MATCHES "kHash = \"([0-9a-f]+)\"")
    message(FATAL_ERROR "no hash: ${text}")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

foreach(folder here there)
  file(REMOVE_RECURSE ${WORK}/${folder})
  file(WRITE ${WORK}/${folder}/one "first")
  file(WRITE ${WORK}/${folder}/two "second")
endforeach()
hash_of(here ${WORK}/here)
hash_of(there ${WORK}/there)
if(NOT here STREQUAL there)
  message(FATAL_ERROR "the same files elsewhere: ${here} and ${there}")
endif()
file(TIMESTAMP ${WORK}/here/hash.cpp before "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
hash_of(again ${WORK}/here)
file(TIMESTAMP ${WORK}/here/hash.cpp after "%s")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "the header was written again")
endif()
file(WRITE ${WORK}/here/two "second, changed")
hash_of(changed ${WORK}/here)
if(changed STREQUAL here)
  message(FATAL_ERROR "a change was not seen")
endif()
