# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=… -DOUTPUT=… -P commit.cmake: a source file with the commit that SOURCE is at; without git, or outside
# of a repository, what TILEWRIGHT_COMMIT in the environment says.
set(commit "$ENV{TILEWRIGHT_COMMIT}")
find_program(git git)
if(git)
    # Not through links: a source tree inside someone else's repository has no commit of its own.
    execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE prefix ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(NOT failed AND prefix STREQUAL "")
        execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit ERROR_QUIET
                        OUTPUT_STRIP_TRAILING_WHITESPACE)
        execute_process(COMMAND ${git} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
        if(changed AND commit)
            string(APPEND commit ", changed")
        endif()
    endif()
endif()
set(text "// Written by cmake/commit.cmake
namespace tilewright {
extern const char* const kCommit;
const char* const kCommit = \"${commit}\";
} // namespace tilewright
")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL "${before}")
    file(WRITE ${OUTPUT} "${text}")
endif()
