include(${CMAKE_CURRENT_LIST_DIR}/layer_edges.cmake)

# cambium_layer(NAME HEADERS ... SOURCES ... DEPS ... LIBS ... TESTS ...)
#
# Declares the static library of one folder under src/ (or of one sub-folder, `model/onnx`, which
# obeys the nearest row of the table above it). DEPS are other layers and are checked against
# layers.cmake; LIBS are outside libraries that headers show, PRIVATE_LIBS those they do not. ALONE are
# sources and tests that use a local name of another one of the folder for something else, so that
# they cannot be compiled in one batch with it (docs/decisions/0016-suite-built-in-batches.md).
# TESTS become one executable per kind: `x_prop_test.cpp` is a property test, `x_z3_test.cpp` a
# proof, `x_perf_test.cpp` needs a machine that is not busy, all others are unit tests. ctest names are
# `<folder>/<Suite>.<Test>`, the label is the kind.
function(cambium_layer name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;ALONE;DEPS;LIBS;PRIVATE_LIBS;TESTS;TEST_LIBS" ${ARGN})
  string(REPLACE "/" "_" id ${name})
  set(target cambium_${id})
  add_library(${target} STATIC ${ARG_SOURCES} ${ARG_HEADERS})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(cambium::${id} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${id})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                              $<INSTALL_INTERFACE:include/cambium>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:cambium_options>)
  foreach(dep IN LISTS ARG_DEPS)
    cambium_check_edge(${name} ${dep})
    string(REPLACE "/" "_" dep_id ${dep})
    target_link_libraries(${target} PUBLIC cambium::${dep_id})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LIBS})
  foreach(lib IN LISTS ARG_PRIVATE_LIBS)
    target_link_libraries(${target} PRIVATE ${lib})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CAMBIUM_LAYER_TARGETS ${target})

  if(CAMBIUM_BUILD_TESTS)
    cambium_headers_alone(${name} ${target} ${ARG_HEADERS})
    foreach(kind unit property proof perf)
      set(sources ${ARG_TESTS})
      if(kind STREQUAL "property")
        list(FILTER sources INCLUDE REGEX "_prop_test\\.cpp$")
      elseif(kind STREQUAL "proof")
        list(FILTER sources INCLUDE REGEX "_z3_test\\.cpp$")
      elseif(kind STREQUAL "perf")
        list(FILTER sources INCLUDE REGEX "_perf_test\\.cpp$")
      else()
        list(FILTER sources EXCLUDE REGEX "_(prop|z3|perf)_test\\.cpp$")
      endif()
      if(sources)
        cambium_test(${id}_${kind}_test KIND ${kind} PREFIX ${name} SOURCES ${sources}
                     LIBS ${target} ${ARG_TEST_LIBS})
      endif()
    endforeach()
  endif()
endfunction()

# Headers without a source of the same name (which would include them first) are compiled alone, so
# that each header is known to include what it needs.
function(cambium_headers_alone name target)
  set(sources "")
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "\\.h$" "" stem ${header})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cpp)
      file(CONFIGURE OUTPUT headers_alone/${stem}.cpp CONTENT "#include \"${name}/${header}\"\n")
      list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${stem}.cpp)
    endif()
  endforeach()
  if(sources)
    add_library(${target}_headers OBJECT ${sources})
    set_target_properties(${target}_headers PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(${target}_headers PRIVATE ${target} cambium_options)
  endif()
endfunction()

# Targets that build many: the tests of the folders that read input (what the sanitizers run), the
# fuzz targets and the benchmarks.
add_custom_target(core_tests)
add_custom_target(fuzz_targets)
add_dependencies(core_tests fuzz_targets)
add_custom_target(benchmarks)

# cambium_test(TARGET KIND k PREFIX p SOURCES ... LIBS ...): a GoogleTest executable whose cases
# ctest knows as `<prefix>/<Suite>.<Test>` with the label `k`.
function(cambium_test target)
  cmake_parse_arguments(ARG "" "KIND;PREFIX" "SOURCES;LIBS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE cambium_options ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  if(ARG_KIND STREQUAL "unit")
    # What is tested is optimized; the tests themselves take a third less time to compile so.
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(CAMBIUM_BATCH_TESTS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${ARG_PREFIX}/" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
                       DISCOVERY_TIMEOUT 120  # a busy machine takes a while to load libtorch
                       PROPERTIES LABELS ${ARG_KIND} TIMEOUT 600)
  # Of training the part without libtorch, which the sanitizers do not understand. Proofs, slow tests
  # and those of performance are not run there.
  if(NOT ARG_KIND MATCHES "^(proof|slow|perf)$" AND
     ARG_PREFIX MATCHES "^(base|expr|store|model|data|program|spaces|schedule|lower)(/|$)|^train$")
    add_dependencies(core_tests ${target})
  endif()
endfunction()

# cambium_bench(NAME SOURCES ... LIBS ...): a Google Benchmark program under <build>/bench, made by
# the target `benchmarks` only. Without the library there are none.
function(cambium_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE cambium_options ${ARG_LIBS} benchmark::benchmark
                                        benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_dependencies(benchmarks ${name})
endfunction()
