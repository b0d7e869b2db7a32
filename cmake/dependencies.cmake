# The small libraries that every build needs, as imported targets. They come from the system's
# packages, or, with -DCAMBIUM_DEPS=DIR, from nothing but a folder that `make gpu-bundle` made:
# then the system's copies are never asked for. The installed package includes this file too.
#
#   fmt::fmt  spdlog::spdlog  nlohmann_json::nlohmann_json  CLI11::CLI11  ZLIB::ZLIB  SQLite::SQLite3
#   Threads::Threads and, for tests, GTest::gtest and GTest::gtest_main; xxhash.h needs no target
find_package(Threads REQUIRED)

if(NOT CAMBIUM_DEPS)
  find_package(fmt REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(SQLite3 REQUIRED)
  find_package(PNG)   # these two are optional: without them an image folder holds PPM files
  find_package(JPEG)
  if(CAMBIUM_BUILD_TESTS)
    find_package(GTest REQUIRED)
  endif()
  return()
endif()

cmake_path(ABSOLUTE_PATH CAMBIUM_DEPS BASE_DIRECTORY ${CMAKE_SOURCE_DIR} NORMALIZE)
if(NOT EXISTS ${CAMBIUM_DEPS}/MANIFEST)
  message(FATAL_ERROR "CAMBIUM_DEPS: ${CAMBIUM_DEPS} holds no MANIFEST; `make gpu-bundle` makes such a folder")
endif()

function(cambium_bundled target)
  cmake_parse_arguments(ARG "" "LIBRARY" "DEFINITIONS;LIBS" ${ARGN})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${CAMBIUM_DEPS}/include)
  target_compile_definitions(${target} INTERFACE ${ARG_DEFINITIONS})
  target_link_libraries(${target} INTERFACE ${ARG_LIBS})
  if(ARG_LIBRARY)
    target_link_libraries(${target} INTERFACE ${CAMBIUM_DEPS}/lib/${ARG_LIBRARY})
  endif()
endfunction()

cambium_bundled(fmt::fmt DEFINITIONS FMT_HEADER_ONLY=1)
cambium_bundled(spdlog::spdlog DEFINITIONS SPDLOG_FMT_EXTERNAL=1 LIBS fmt::fmt Threads::Threads)
cambium_bundled(nlohmann_json::nlohmann_json)
cambium_bundled(CLI11::CLI11)
cambium_bundled(ZLIB::ZLIB LIBRARY libz.a)
cambium_bundled(SQLite::SQLite3 LIBRARY libsqlite3.a LIBS Threads::Threads m ${CMAKE_DL_LIBS})
if(CAMBIUM_BUILD_TESTS)
  # Two files, compiled here: GoogleTest's own CMake project asks for CMake versions of its own.
  set(gtest_source ${CAMBIUM_DEPS}/googletest)
  foreach(part gtest gtest_main)
    add_library(${part} STATIC EXCLUDE_FROM_ALL ${gtest_source}/src/$<IF:$<STREQUAL:${part},gtest>,gtest-all,gtest_main>.cc)
    target_include_directories(${part} SYSTEM PUBLIC ${gtest_source}/include PRIVATE ${gtest_source})
    target_compile_features(${part} PUBLIC cxx_std_20)
    target_link_libraries(${part} PUBLIC Threads::Threads)
    add_library(GTest::${part} ALIAS ${part})
  endforeach()
  target_link_libraries(gtest_main PUBLIC gtest)
endif()
