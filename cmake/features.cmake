# Heavy libraries are optional. CAMBIUM_<NAME> is AUTO (on if found), ON (an error if not found) or
# OFF. Sets CAMBIUM_HAS_<NAME> and, for `cambium version`, CAMBIUM_<NAME>_VERSION. Only looks for
# files: the folder that uses a library calls find_package itself, which for some takes seconds.
set(CAMBIUM_FEATURES ONNX LLVM TORCH XGBOOST JEMALLOC)
set(CAMBIUM_FEATURE_ONNX "model files in ONNX form (libonnx, protobuf)")
set(CAMBIUM_FEATURE_LLVM "native code for the CPU")
set(CAMBIUM_FEATURE_TORCH "training (libtorch)")
set(CAMBIUM_FEATURE_XGBOOST "the learned cost model")
set(CAMBIUM_FEATURE_JEMALLOC "an allocator with which searching takes a quarter less time")

# cambium_version_in(OUT FILE REGEX): the first group of REGEX in FILE, or "unknown version".
function(cambium_version_in out file regex)
  set(version "unknown version")
  if(EXISTS "${file}")
    file(READ "${file}" text)
    if(text MATCHES "${regex}")
      set(version ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${out} ${version} PARENT_SCOPE)
endfunction()

# Each finder sets `found` and `version` for its caller.
function(cambium_find_onnx)
  find_path(CAMBIUM_ONNX_INCLUDE onnx/onnx_pb.h)
  find_path(CAMBIUM_PROTOBUF_INCLUDE google/protobuf/message.h)
  find_library(CAMBIUM_ONNX_LIBRARY onnx_proto)
  mark_as_advanced(CAMBIUM_ONNX_INCLUDE CAMBIUM_PROTOBUF_INCLUDE CAMBIUM_ONNX_LIBRARY)
  if(CAMBIUM_ONNX_INCLUDE AND CAMBIUM_PROTOBUF_INCLUDE AND CAMBIUM_ONNX_LIBRARY)
    cmake_path(GET CAMBIUM_ONNX_LIBRARY PARENT_PATH folder)
    cambium_version_in(version ${folder}/cmake/ONNX/ONNXConfigVersion.cmake
                       "PACKAGE_VERSION \"([0-9.]+)\"")
    set(found ON PARENT_SCOPE)
    set(version ${version} PARENT_SCOPE)
  endif()
endfunction()

function(cambium_find_llvm)
  find_path(CAMBIUM_LLVM_CMAKE LLVMConfigVersion.cmake HINTS ${LLVM_DIR}
            PATHS /usr/lib/llvm-22/lib/cmake/llvm /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
  mark_as_advanced(CAMBIUM_LLVM_CMAKE)
  if(CAMBIUM_LLVM_CMAKE)
    cambium_version_in(version ${CAMBIUM_LLVM_CMAKE}/LLVMConfigVersion.cmake
                       "PACKAGE_VERSION \"([0-9.]+)")
    set(found ON PARENT_SCOPE)
    set(version ${version} PARENT_SCOPE)
  endif()
endfunction()

function(cambium_find_torch)
  find_path(CAMBIUM_TORCH_CMAKE TorchConfig.cmake
            HINTS ${Torch_DIR} PATH_SUFFIXES Torch share/cmake/Torch lib/cmake/Torch
                  lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch)
  mark_as_advanced(CAMBIUM_TORCH_CMAKE)
  if(CAMBIUM_TORCH_CMAKE)
    cambium_version_in(version ${CAMBIUM_TORCH_CMAKE}/TorchConfigVersion.cmake
                       "PACKAGE_VERSION \"([0-9.]+)")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND version VERSION_LESS 2)
      message(STATUS "libtorch ${version} is left out: clang does not compile its headers as C++20 (g++ does, "
                     "and libtorch 2 has mended them)")
      return()
    endif()
    set(found ON PARENT_SCOPE)
    set(version ${version} PARENT_SCOPE)
  endif()
endfunction()

function(cambium_find_xgboost)
  find_path(CAMBIUM_XGBOOST_INCLUDE xgboost/c_api.h)
  find_library(CAMBIUM_XGBOOST_LIBRARY xgboost)
  mark_as_advanced(CAMBIUM_XGBOOST_INCLUDE CAMBIUM_XGBOOST_LIBRARY)
  if(CAMBIUM_XGBOOST_INCLUDE AND CAMBIUM_XGBOOST_LIBRARY)
    set(found ON PARENT_SCOPE)
    set(digits "")
    foreach(part MAJOR MINOR PATCH)
      cambium_version_in(digit ${CAMBIUM_XGBOOST_INCLUDE}/xgboost/version_config.h
                         "XGBOOST_VER_${part} ([0-9]+)")
      list(APPEND digits ${digit})
    endforeach()
    list(JOIN digits . version)
    set(version ${version} PARENT_SCOPE)
  endif()
endfunction()

function(cambium_find_jemalloc)
  find_path(CAMBIUM_JEMALLOC_INCLUDE jemalloc/jemalloc.h)
  find_library(CAMBIUM_JEMALLOC_LIBRARY jemalloc)
  mark_as_advanced(CAMBIUM_JEMALLOC_INCLUDE CAMBIUM_JEMALLOC_LIBRARY)
  if(CAMBIUM_JEMALLOC_INCLUDE AND CAMBIUM_JEMALLOC_LIBRARY AND
     NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # sanitizers bring their own allocator
    cambium_version_in(version ${CAMBIUM_JEMALLOC_INCLUDE}/jemalloc/jemalloc.h
                       "JEMALLOC_VERSION \"([0-9.]+)")
    set(found ON PARENT_SCOPE)
    set(version ${version} PARENT_SCOPE)
  endif()
endfunction()

set(CAMBIUM_FEATURE_ROWS "")
foreach(name IN LISTS CAMBIUM_FEATURES)
  set(CAMBIUM_${name} AUTO CACHE STRING "${CAMBIUM_FEATURE_${name}}: AUTO, ON or OFF")
  set_property(CACHE CAMBIUM_${name} PROPERTY STRINGS AUTO ON OFF)
  set(found OFF)
  set(version "")
  string(TOLOWER ${name} lower)
  if(CAMBIUM_${name} STREQUAL "AUTO" OR CAMBIUM_${name})
    cmake_language(CALL cambium_find_${lower})
    if(NOT found AND NOT CAMBIUM_${name} STREQUAL "AUTO")
      message(FATAL_ERROR "CAMBIUM_${name}=ON, but it was not found (${CAMBIUM_FEATURE_${name}})")
    endif()
  endif()
  set(CAMBIUM_HAS_${name} ${found})
  set(CAMBIUM_${name}_VERSION ${version})
  message(STATUS "Feature ${lower}: ${found} ${version}")
  string(APPEND CAMBIUM_FEATURE_ROWS
         "    {\"${lower}\", \"${CAMBIUM_FEATURE_${name}}\", \"${version}\", $<BOOL:${found}>},\n")
endforeach()
string(REPLACE "$<BOOL:ON>" "true" CAMBIUM_FEATURE_ROWS "${CAMBIUM_FEATURE_ROWS}")
string(REPLACE "$<BOOL:OFF>" "false" CAMBIUM_FEATURE_ROWS "${CAMBIUM_FEATURE_ROWS}")

# The allocator of programs that make and free millions of small nodes; linked by the program, so
# that libraries leave the choice to those who use them.
add_library(cambium_allocator INTERFACE)
if(CAMBIUM_HAS_JEMALLOC)
  target_link_libraries(cambium_allocator INTERFACE ${CAMBIUM_JEMALLOC_LIBRARY})
endif()
