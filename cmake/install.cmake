# What `cmake --install` and `make install PREFIX=...` put under the prefix, and nothing else: the program with its man
# page and completions, the library with its headers, a CMake package and a pkg-config file. Everything is found
# relative to where it stands, so the tree may be moved, and DESTDIR is respected.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# From one folder of the prefix to another, as the loader understands it.
function(origin_to_library from result)
  file(RELATIVE_PATH relative "/${from}" "/${CMAKE_INSTALL_LIBDIR}")
  set(${result} "$ORIGIN/${relative}" PARENT_SCOPE)
endfunction()

origin_to_library(${CMAKE_INSTALL_BINDIR} rpath)
set_target_properties(brushfire_program PROPERTIES INSTALL_RPATH "${rpath}")
install(TARGETS brushfire_program RUNTIME)

install(TARGETS brushfire EXPORT brushfire LIBRARY)
target_include_directories(brushfire INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/brushfire)
install(EXPORT brushfire NAMESPACE brushfire:: FILE brushfireConfig.cmake DESTINATION ${package_folder})
# Until there is a 1.0, a program that was made for 0.1 has to say so again for 0.2.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/brushfireConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/brushfireConfigVersion.cmake DESTINATION ${package_folder})

file(RELATIVE_PATH prefix_of_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${PROJECT_SOURCE_DIR}/cmake/brushfire.pc.in brushfire.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/brushfire.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The program describes itself.
set(descriptions "")
function(install_description reader file folder)
  set(output ${PROJECT_BINARY_DIR}/share/${file})
  add_custom_command(OUTPUT ${output} DEPENDS brushfire_program VERBATIM
                     COMMAND brushfire_program --describe-for ${reader} > ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  set(descriptions ${descriptions} ${output} PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
install_description(man brushfire.1 man/man1)
install_description(bash brushfire bash-completion/completions)
install_description(zsh _brushfire zsh/site-functions)
install_description(fish brushfire.fish fish/vendor_completions.d)

# What has to be built before anything can be installed.
add_custom_target(installed_files ALL DEPENDS brushfire ${descriptions})
