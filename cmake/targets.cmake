# SPDX-License-Identifier: GPL-3.0-or-later
# Flags shared by every target, and the functions that declare a library or a test: one library a folder of core/
# and ui/, named after it, that links (and so may include) only what is listed beside it.
#
# Cold builds are what a newcomer meets first: every library is compiled as a few large units behind one precompiled
# header for core/ and one for ui/. -DTILEWRIGHT_UNITY=OFF compiles file by file (clang-tidy, editors).

option(TILEWRIGHT_UNITY "Compile each library as a few large units" ON)

add_library(tilewright_flags INTERFACE)
target_compile_options(tilewright_flags INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Memory is there, so the compiler need not collect its own garbage: a tenth of the time of a unit, for 150 MB.
    target_compile_options(tilewright_flags INTERFACE "SHELL:--param ggc-min-expand=1000"
                                                      "SHELL:--param ggc-min-heapsize=4000000")
    # GCC 12 reports correct std::string code (bug 105651), and in a unit of several files each type of an unnamed
    # namespace that a member has.
    target_compile_options(tilewright_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
                                                      -Wno-subobject-linkage)
endif()
if(TILEWRIGHT_SANITIZE OR TILEWRIGHT_FUZZ)
    # Without what takes a quarter of the time to compile and finds little that AddressSanitizer would not.
    target_compile_options(tilewright_flags INTERFACE -fsanitize=address,undefined
                                                      -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow
                                                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(tilewright_flags INTERFACE -fsanitize=address,undefined)
    find_program(TILEWRIGHT_LLD ld.lld) # links a test of 300 MB in a third of the time
    if(TILEWRIGHT_LLD)
        target_link_options(tilewright_flags INTERFACE -fuse-ld=lld)
    endif()
endif()
if(TILEWRIGHT_THREADS)
    target_compile_options(tilewright_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(tilewright_flags INTERFACE -fsanitize=thread)
    # GCC takes the two halves of a joined text for one array once it is instrumented.
    target_compile_options(tilewright_flags INTERFACE -Wno-stringop-overread)
endif()
if(TILEWRIGHT_SANITIZE OR TILEWRIGHT_THREADS)
    # GCC loses track of std::optional once it is instrumented.
    target_compile_options(tilewright_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(TILEWRIGHT_FUZZ)
    # clang's own warnings are not what these builds are for.
    target_compile_options(tilewright_flags INTERFACE -fsanitize=fuzzer-no-link -Wno-error)
endif()
if(TILEWRIGHT_COVERAGE)
    target_compile_options(tilewright_flags INTERFACE --coverage)
    target_link_options(tilewright_flags INTERFACE --coverage)
endif()

# tilewright_checks_by_calls(TARGET): under a sanitizer, code that is run little and compiled much: checks by calls are a
# fifth less to compile than in line, and many times slower to run.
function(tilewright_checks_by_calls target)
    if(TILEWRIGHT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE "SHELL:--param asan-instrumentation-with-call-threshold=0")
    endif()
endfunction()

# As Debian builds its packages: what a person runs binds at its start, and checks its buffers. The libraries of core/
# and ui/ are left out: they share precompiled headers with the tests, and engines must not lose time to it.
add_library(tilewright_hardening INTERFACE)
target_link_options(tilewright_hardening INTERFACE -Wl,-z,relro,-z,now)
target_compile_options(tilewright_hardening INTERFACE
    "$<$<CONFIG:Release>:SHELL:-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")

# tilewright_precompile(TARGET HEADER): precompiles cmake/HEADER; the first target that asks for it shares it.
function(tilewright_precompile target header)
    get_property(owner GLOBAL PROPERTY TILEWRIGHT_PRECOMPILED_${header})
    if(owner)
        target_precompile_headers(${target} REUSE_FROM ${owner})
    else()
        target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
        set_property(GLOBAL PROPERTY TILEWRIGHT_PRECOMPILED_${header} ${target})
    endif()
endfunction()

# tilewright_relocatable(TARGET): code that can also be part of a shared object, the module of python/, and is not slower
# for it: nothing of it is visible from outside, so calls and data need no table.
function(tilewright_relocatable target)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endfunction()

# tilewright_core(FOLDER DEPS...): one static library per folder of core/, from every .cpp in the folder,
# tilewright_FOLDER ('/' becomes '_').
function(tilewright_core folder)
    string(REPLACE "/" "_" name ${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    if(NOT sources)
        return()
    endif()
    add_library(tilewright_${name} STATIC ${sources})
    target_include_directories(tilewright_${name} PUBLIC ${CMAKE_SOURCE_DIR}/core)
    target_link_libraries(tilewright_${name} PRIVATE tilewright_flags nlohmann_json::nlohmann_json)
    # Engines gain from -O3; readers, writers and what only calls the engines take a quarter longer to compile for nothing.
    if(name MATCHES "^(model|onnx|report|stablehlo|sweep|tables|timeloop|verbs)$")
        target_compile_options(tilewright_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    elseif(name MATCHES "^(base|workload|schedule|lower)$")
        target_compile_options(tilewright_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
    endif()
    set_target_properties(tilewright_${name} PROPERTIES UNITY_BUILD ${TILEWRIGHT_UNITY} UNITY_BUILD_BATCH_SIZE 12)
    tilewright_relocatable(tilewright_${name})
    tilewright_precompile(tilewright_${name} precompiled_core.h)
    foreach(dep IN LISTS ARGN)
        target_link_libraries(tilewright_${name} PUBLIC tilewright_${dep})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_CORE_TARGETS tilewright_${name})
endfunction()

# tilewright_ui(FOLDER DEPS...): one static library per folder of ui/, tilewright_ui_FOLDER ('/' becomes '_').
function(tilewright_ui folder)
    string(REPLACE "/" "_" name ${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.h)
    add_library(tilewright_ui_${name} STATIC ${headers})
    # Not by AUTOMOC: what moc writes of a header is compiled beside its .cpp file, not behind all headers once more.
    # moc needs none of the included headers, and reads one in a millisecond.
    qt_wrap_cpp(mocs ${headers} OPTIONS --no-notes)
    foreach(moc IN LISTS mocs)
        string(REGEX REPLACE "^.*/moc_(.*)$" "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/\\1" source ${moc})
        list(FIND sources ${source} at)
        if(at EQUAL -1)
            list(APPEND sources ${moc})
        else()
            list(INSERT sources ${at} ${moc})
        endif()
    endforeach()
    target_sources(tilewright_ui_${name} PRIVATE ${sources})
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_MOCS ${mocs})
    target_include_directories(tilewright_ui_${name} PUBLIC ${CMAKE_SOURCE_DIR}/ui)
    target_compile_definitions(tilewright_ui_${name}
        PUBLIC QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_DISABLE_DEPRECATED_BEFORE=0x060400
        PRIVATE $<$<NOT:$<STREQUAL:${folder},chart>>:QT_NO_KEYWORDS>) # qcustomplot.h needs the keywords
    # Painting does not gain from -O3, nor forms from -O2; each step takes a fifth longer to compile.
    if(folder MATCHES "^(export|panels|window)")
        target_compile_options(tilewright_ui_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    else()
        target_compile_options(tilewright_ui_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
    endif()
    target_link_libraries(tilewright_ui_${name} PRIVATE tilewright_flags
                                                PUBLIC tilewright_core_all Qt6::Widgets Qt6::Svg)
    tilewright_checks_by_calls(tilewright_ui_${name})
    set_target_properties(tilewright_ui_${name} PROPERTIES UNITY_BUILD ${TILEWRIGHT_UNITY} UNITY_BUILD_BATCH_SIZE 24)
    if(NOT folder STREQUAL "chart") # its own, for the keywords, costs more than it saves
        tilewright_precompile(tilewright_ui_${name} precompiled_ui.h)
    endif()
    foreach(dep IN LISTS ARGN)
        target_link_libraries(tilewright_ui_${name} PUBLIC tilewright_ui_${dep})
    endforeach()
endfunction()

# tilewright_tests(FOLDER HEADER LIBS...): the Qt Test classes of tests/FOLDER/test_*.cpp as one executable, tests-FOLDER
# ('/' becomes '-'), and a link to it a class: build/release/tests/test_latency runs that class alone. A target of that
# name builds it, and CTest runs each class by itself.
function(tilewright_tests folder header)
    string(REPLACE "/" "-" name tests-${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_*.cpp)
    add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/main/test_main.cpp)
    foreach(source IN LISTS sources)
        get_filename_component(test ${source} NAME_WE)
        # Not by AUTOMOC: a scan and a second unit a test take as long to build as many a test.
        set(moc ${CMAKE_CURRENT_BINARY_DIR}/${name}-moc/${test}.moc)
        qt_generate_moc(${source} ${moc})
        target_sources(${name} PRIVATE ${source} ${moc})
        add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink ${name} ${test})
        add_custom_target(${test} DEPENDS ${name})
        add_test(NAME ${test} COMMAND ${name} ${test})
        set_tests_properties(${test} PROPERTIES TIMEOUT 600
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_RUNTIME_DIR=/tmp;LC_ALL=C.UTF-8")
    endforeach()
    # Each test_*.cpp has a namespace of its own, so that they can be one unit.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${TILEWRIGHT_UNITY} UNITY_BUILD_BATCH_SIZE 5)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}-moc)
    target_link_libraries(${name} PRIVATE tilewright_flags tilewright_test_support Qt6::Test
                                          nlohmann_json::nlohmann_json ${ARGN})
    tilewright_precompile(${name} ${header})
    tilewright_checks_by_calls(${name})
    # What takes time in a test is the code under test, not the test.
    # Instrumented and optimised, a test takes twice as long to compile.
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<BOOL:${TILEWRIGHT_SANITIZE}>:-O0>)
    target_compile_definitions(${name} PRIVATE TILEWRIGHT_BINARY_DIR="${CMAKE_BINARY_DIR}"
                                               TILEWRIGHT_CLI="$<TARGET_FILE:tilewright-cli>")
    if(TARGET tilewright)
        target_compile_definitions(${name} PRIVATE TILEWRIGHT_WINDOW="$<TARGET_FILE:tilewright>")
    endif()
endfunction()
