# BRUSHFIRE_WITH_PYTHON = AUTO | ON | OFF decides whether the Python module is built; AUTO means: where pybind11 and the
# headers of the interpreter are, and never stops the configuration. The interpreter is the system's, whose NumPy
# set-up installs; BRUSHFIRE_PYTHON names another. Comes after install.cmake. Sets BRUSHFIRE_HAS_PYTHON.

read_switch(PYTHON "Build the Python module" with_python)
set(BRUSHFIRE_PYTHON /usr/bin/python3 CACHE FILEPATH "The interpreter that the Python module is for")

set(BRUSHFIRE_HAS_PYTHON OFF)
if(with_python STREQUAL "AUTO" AND BRUSHFIRE_SANITIZE)
  message(STATUS "the Python module is left out: the interpreter knows nothing of sanitizers")
elseif(with_python)
  set(problem "")
  if(NOT EXISTS "${BRUSHFIRE_PYTHON}")
    set(problem "there is no ${BRUSHFIRE_PYTHON}; set BRUSHFIRE_PYTHON")
  else()
    set(Python_EXECUTABLE "${BRUSHFIRE_PYTHON}")
    find_package(Python QUIET COMPONENTS Interpreter Development.Module)
    find_package(pybind11 QUIET)
    if(NOT Python_FOUND)
      set(problem "the headers of ${BRUSHFIRE_PYTHON} were not found (python3-dev)")
    elseif(NOT pybind11_FOUND)
      set(problem "pybind11 was not found (pybind11-dev)")
    endif()
  endif()
  if(NOT problem)
    set(BRUSHFIRE_HAS_PYTHON ON)
    message(STATUS "Python ${Python_VERSION}: the module is built for ${BRUSHFIRE_PYTHON}")
  elseif(with_python STREQUAL "ON")
    message(FATAL_ERROR "BRUSHFIRE_WITH_PYTHON is ON, but ${problem}")
  else()
    message(STATUS "the Python module is left out: ${problem}")
  endif()
endif()

if(NOT BRUSHFIRE_HAS_PYTHON)
  return()
endif()

# build/python is a folder for PYTHONPATH; what is installed, and packed into a wheel, is the same.
set(python_package ${PROJECT_BINARY_DIR}/python/brushfire)
set(python_folder lib/python3/dist-packages/brushfire)
set(python_files __init__.py _arguments.py _brushfire.pyi py.typed)
pybind11_add_module(brushfire_python MODULE NO_EXTRAS ${PROJECT_SOURCE_DIR}/surface/python/module.cpp)
origin_to_library(${python_folder} rpath)
set_target_properties(brushfire_python PROPERTIES OUTPUT_NAME _brushfire CXX_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY ${python_package} INSTALL_RPATH "$ORIGIN;${rpath}")
target_link_libraries(brushfire_python PRIVATE brushfire)
target_compile_options(brushfire_python PRIVATE ${warnings})
add_dependencies(installed_files brushfire_python)
install(TARGETS brushfire_python LIBRARY DESTINATION ${python_folder} COMPONENT python)
foreach(file ${python_files})
  configure_file(${PROJECT_SOURCE_DIR}/surface/python/brushfire/${file} ${python_package}/${file} COPYONLY)
  install(FILES surface/python/brushfire/${file} DESTINATION ${python_folder} COMPONENT python)
endforeach()

# The wheel has the library beside the module. It is for this interpreter and a system like this one.
set(wheel_folder ${PROJECT_BINARY_DIR}/wheel)
configure_file(${PROJECT_SOURCE_DIR}/surface/python/METADATA.in ${PROJECT_BINARY_DIR}/wheel-info/METADATA @ONLY)
set(wheel_tag cp${Python_VERSION_MAJOR}${Python_VERSION_MINOR})
string(TOLOWER "${CMAKE_SYSTEM_NAME}_${CMAKE_SYSTEM_PROCESSOR}" wheel_platform)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/wheel-info/WHEEL @ONLY CONTENT "Wheel-Version: 1.0
Generator: brushfire @PROJECT_VERSION@
Root-Is-Purelib: false
Tag: @wheel_tag@-@wheel_tag@-@wheel_platform@
")
add_custom_target(wheel DEPENDS brushfire_python VERBATIM
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${wheel_folder}
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --component python --prefix ${wheel_folder}
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_SONAME_FILE:brushfire> ${wheel_folder}/${python_folder}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_BINARY_DIR}/wheel-info
          ${wheel_folder}/${python_folder}/../brushfire-${PROJECT_VERSION}.dist-info
  COMMAND ${BRUSHFIRE_PYTHON} -m wheel pack ${wheel_folder}/${python_folder}/.. --dest-dir ${PROJECT_BINARY_DIR})
