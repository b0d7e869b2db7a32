# `cmake --install`: the program, one static library a folder, the public headers, and a package that
# `find_package(Cambium)` finds. The package looks for the same outside libraries as this build.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(public_headers)

get_property(targets GLOBAL PROPERTY CAMBIUM_LAYER_TARGETS)
install(TARGETS ${targets} EXPORT CambiumTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The runner stands beside the program that starts it.
foreach(program cambium cambium-runner cambium-train)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
foreach(header IN LISTS CAMBIUM_PUBLIC_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION include/cambium/${folder})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Cambium)
install(EXPORT CambiumTargets NAMESPACE cambium:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CambiumConfig.cmake.in
                              CambiumConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(CambiumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/CambiumConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/CambiumConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake
        DESTINATION ${package})
