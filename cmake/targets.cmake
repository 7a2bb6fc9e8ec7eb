# SPDX-License-Identifier: GPL-3.0-or-later
# Flags shared by every target, and the two functions that declare a library or a test.

add_library(tilewright_flags INTERFACE)
# -Wno-restrict: GCC 12 reports correct std::string code (GCC bug 105651).
target_compile_options(tilewright_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -Wno-restrict)
if(TILEWRIGHT_SANITIZE)
    target_compile_options(tilewright_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                      -fno-omit-frame-pointer)
    target_link_options(tilewright_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TILEWRIGHT_FUZZ)
    # clang's own warnings are not what these builds are for.
    target_compile_options(tilewright_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -Wno-error
                                                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(tilewright_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TILEWRIGHT_COVERAGE)
    target_compile_options(tilewright_flags INTERFACE --coverage)
    target_link_options(tilewright_flags INTERFACE --coverage)
endif()

# tilewright_core(NAME DEPS...): one static library per folder of core/, from every .cpp in the folder.
function(tilewright_core name)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
    if(NOT sources)
        return()
    endif()
    add_library(tilewright_${name} STATIC ${sources})
    target_include_directories(tilewright_${name} PUBLIC ${CMAKE_SOURCE_DIR}/core)
    target_link_libraries(tilewright_${name} PRIVATE tilewright_flags nlohmann_json::nlohmann_json)
    foreach(dep IN LISTS ARGN)
        target_link_libraries(tilewright_${name} PUBLIC tilewright_${dep})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_CORE_TARGETS tilewright_${name})
endfunction()

# tilewright_test(SOURCE LIBS...): one Qt Test executable per area, named after its file.
function(tilewright_test source)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(${name} PRIVATE tilewright_flags Qt6::Test nlohmann_json::nlohmann_json ${ARGN})
    target_compile_definitions(${name} PRIVATE
        TILEWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        TILEWRIGHT_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_RUNTIME_DIR=/tmp;LC_ALL=C.UTF-8")
endfunction()
