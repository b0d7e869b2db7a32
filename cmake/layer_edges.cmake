# Which folder may depend on which, by the rows of layers.cmake; tools/layers.py has the same rules.

# The row that a folder obeys: its own or the nearest one above it.
function(cambium_layer_row folder out)
  set(row ${folder})
  while(NOT DEFINED CAMBIUM_ALLOW_${row})
    if(NOT row MATCHES "/")
      message(FATAL_ERROR "layer '${row}' is not in cmake/layers.cmake")
    endif()
    string(REGEX REPLACE "/[^/]*$" "" row ${row})
  endwhile()
  set(${out} ${row} PARENT_SCOPE)
endfunction()

# Stops configuration where `from` may not depend on `to`.
function(cambium_check_edge from to)
  cambium_layer_row(${from} from_row)
  cambium_layer_row(${to} to_row)
  string(REGEX REPLACE "/.*" "" from_top ${from_row})
  string(REGEX REPLACE "/.*" "" to_top ${to_row})
  if(from_row STREQUAL to_row OR to_row IN_LIST CAMBIUM_ALLOW_${from_row})
    return()
  endif()
  # From outside, a row admits what is below it too.
  set(above ${to_row})
  while(NOT from_top STREQUAL to_top AND above MATCHES "/")
    string(REGEX REPLACE "/[^/]*$" "" above ${above})
    if(above IN_LIST CAMBIUM_ALLOW_${from_row})
      return()
    endif()
  endwhile()
  message(FATAL_ERROR "layer '${from_row}' may not depend on '${to_row}' (cmake/layers.cmake)")
endfunction()
