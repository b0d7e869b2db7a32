# cambium_layer(NAME HEADERS ... SOURCES ... DEPS ... LIBS ... TESTS ...)
#
# Declares the static library of one folder under src/ (or of one sub-folder, `model/onnx`, which
# obeys the table row of its top folder). DEPS are other layers and are checked against
# layers.cmake; LIBS are outside libraries that headers show, PRIVATE_LIBS those they do not.
# TESTS become one executable per kind: `x_prop_test.cpp` is a property test, `x_z3_test.cpp` a
# proof, all others are unit tests. ctest names are `<folder>/<Suite>.<Test>`, the label is the kind.
function(cambium_layer name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;DEPS;LIBS;PRIVATE_LIBS;TESTS;TEST_LIBS" ${ARGN})
  string(REPLACE "/" "_" id ${name})
  string(REGEX REPLACE "/.*" "" top ${name})
  if(NOT DEFINED CAMBIUM_ALLOW_${top})
    message(FATAL_ERROR "layer '${top}' is not in cmake/layers.cmake")
  endif()

  set(target cambium_${id})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(cambium::${id} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${id})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${ARG_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:cambium_options>)
  foreach(dep IN LISTS ARG_DEPS)
    string(REGEX REPLACE "/.*" "" dep_top ${dep})
    if(NOT dep_top STREQUAL top AND NOT dep_top IN_LIST CAMBIUM_ALLOW_${top})
      message(FATAL_ERROR "layer '${top}' may not depend on '${dep_top}' (cmake/layers.cmake)")
    endif()
    string(REPLACE "/" "_" dep_id ${dep})
    target_link_libraries(${target} PUBLIC cambium::${dep_id})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LIBS})
  foreach(lib IN LISTS ARG_PRIVATE_LIBS)
    target_link_libraries(${target} PRIVATE ${lib})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CAMBIUM_LAYER_TARGETS ${target})

  if(CAMBIUM_BUILD_TESTS)
    foreach(kind unit property proof)
      set(sources ${ARG_TESTS})
      if(kind STREQUAL "property")
        list(FILTER sources INCLUDE REGEX "_prop_test\\.cpp$")
      elseif(kind STREQUAL "proof")
        list(FILTER sources INCLUDE REGEX "_z3_test\\.cpp$")
      else()
        list(FILTER sources EXCLUDE REGEX "_(prop|z3)_test\\.cpp$")
      endif()
      if(sources)
        cambium_test(${id}_${kind}_test KIND ${kind} PREFIX ${name} SOURCES ${sources}
                     LIBS ${target} ${ARG_TEST_LIBS})
      endif()
    endforeach()
  endif()
endfunction()

# cambium_test(TARGET KIND k PREFIX p SOURCES ... LIBS ...): a GoogleTest executable whose cases
# ctest knows as `<prefix>/<Suite>.<Test>` with the label `k`.
function(cambium_test target)
  cmake_parse_arguments(ARG "" "KIND;PREFIX" "SOURCES;LIBS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE cambium_options ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${target} TEST_PREFIX "${ARG_PREFIX}/" DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${ARG_KIND} TIMEOUT 600)
endfunction()
