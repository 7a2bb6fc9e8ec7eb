# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages, one a component of cmake/install.cmake: `./dev package` calls CPack with this.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_CONTACT "Tilewright maintainers <maintainers@users.noreply.a-seed-900e4d33.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)

# CPack writes the space at the start of each line of a description in a control file.
set(about "Tilewright explores the mapping of tensor programs onto accelerators with a
small fast memory: which operations run together, how they are tiled, which
tensors stay in fast memory, and what the schedule costs. It analyses a
program as a schedule, on a systolic array, on the cores of an NPU, and as
the loop nest of one layer.")

# tilewright_package(COMPONENT NAME SUMMARY TEXT [ARCHITECTURE all] [DEPENDS …] [RECOMMENDS …] [SUGGESTS …] [SECTION …]):
# the component as a package, with changelog and copyright.
function(tilewright_package component name summary text)
    cmake_parse_arguments(arg "" "ARCHITECTURE;DEPENDS;RECOMMENDS;SUGGESTS;SECTION" "" ${ARGN})
    string(TOUPPER ${component} key)
    set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${about}\n.\n${text}" PARENT_SCOPE)
    if(arg_ARCHITECTURE)
        set(CPACK_DEBIAN_${key}_PACKAGE_ARCHITECTURE ${arg_ARCHITECTURE} PARENT_SCOPE)
    else()
        set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
    endif()
    foreach(field DEPENDS RECOMMENDS SUGGESTS SECTION)
        if(arg_${field})
            set(CPACK_DEBIAN_${key}_PACKAGE_${field} "${arg_${field}}" PARENT_SCOPE)
        endif()
    endforeach()
    set(folder ${CMAKE_INSTALL_DATADIR}/doc/${name})
    install(FILES resources/package/copyright DESTINATION ${folder} COMPONENT ${component})
    install(FILES ${CMAKE_BINARY_DIR}/changelog.gz DESTINATION ${folder} COMPONENT ${component})
endfunction()

execute_process(COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/resources/package/changelog
                OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz)

tilewright_package(cli tilewright-cli "explorer of tensor schedules, command line"
    "This package has the command line program, which needs no display and no Qt,
and the sample files."
    SUGGESTS "tilewright, tilewright-doc")
if(TARGET tilewright)
    tilewright_package(gui tilewright "explorer of tensor schedules"
        "This package has the window and registers the types of its files."
        DEPENDS "tilewright-cli (= ${PROJECT_VERSION})" SUGGESTS tilewright-doc)
endif()
if(TARGET tilewright-python)
    # A compiled module is of one version of the interpreter.
    math(EXPR next "${Python_VERSION_MINOR} + 1")
    tilewright_package(python python3-tilewright "explorer of tensor schedules, Python module"
        "This package has the module tilewright: the engines as functions, with
results as numpy arrays. With the package tilewright, notebooks show its views."
        DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy"
        RECOMMENDS tilewright SUGGESTS "tilewright-cli, tilewright-doc, python3-matplotlib" SECTION python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/resources/package/python/postinst
                                                  ${CMAKE_SOURCE_DIR}/resources/package/python/prerm)
endif()
tilewright_package(doc tilewright-doc "explorer of tensor schedules, documentation"
    "This package has the handbook, the rule book and the design documents."
    ARCHITECTURE all DEPENDS libjs-sphinxdoc SECTION doc)
include(CPack)
