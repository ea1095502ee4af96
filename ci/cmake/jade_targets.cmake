# What every target of this project shares: warnings (private to our code), reproducible floating point, and the
# two ways of adding code: a module of the engine, and a test executable.

find_program(JADE_CCACHE ccache)
if(JADE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects that use a precompiled header are cached only with these; no macro of ours changes what such a header says.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${JADE_CCACHE})
endif()

add_library(jade_options INTERFACE)
target_compile_options(jade_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wnull-dereference
  # A designated initialiser names what it sets; the other fields have defaults.
  -Wno-missing-field-initializers
  $<$<BOOL:${JADE_WARNINGS_AS_ERRORS}>:-Werror>
  # The same bits from every build: no fused multiply-add chosen by the optimiser, no fast-math.
  -ffp-contract=off)

# What nearly every file reads, parsed once for all files of a target: a third of an object's time. A file includes what
# it uses all the same; the tidy preset builds without.
set(JADE_COMMON_HEADERS
  <algorithm> <array> <cmath> <functional> <limits> <memory> <optional> <string> <vector>
  <Eigen/Core> <Eigen/Geometry> <fmt/format.h>)
# Without this option ccache does not see what such a header holds.
set(JADE_PRECOMPILED_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
function(jade_precompile target)
  target_precompile_headers(${target} PRIVATE ${JADE_COMMON_HEADERS} ${ARGN})
  target_compile_options(${target} PRIVATE ${JADE_PRECOMPILED_OPTIONS})
endfunction()
function(jade_reuse_precompiled target from)
  target_precompile_headers(${target} REUSE_FROM ${from})
  target_compile_options(${target} PRIVATE ${JADE_PRECOMPILED_OPTIONS})
endfunction()

# Code that is run once needs no -O3, and compiles a quarter faster without: tests, cases and the command line.
add_library(jade_quick_to_build INTERFACE)
target_compile_options(jade_quick_to_build INTERFACE $<$<CONFIG:Release>:-O1>)

# jade_module(name SOURCES … HEADERS … TESTS …): adds a folder's files to the engine library; the tests beside the
# sources become the executable <name>_test.
function(jade_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;TESTS" ${ARGN})
  if(ARG_SOURCES)
    target_sources(jade_engine PRIVATE ${ARG_SOURCES})
  endif()
  if(ARG_HEADERS)
    target_sources(jade_engine PUBLIC FILE_SET HEADERS FILES ${ARG_HEADERS})
  endif()
  if(ARG_TESTS)
    list(TRANSFORM ARG_TESTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_property(GLOBAL APPEND PROPERTY JADE_TESTED_MODULES ${name})
    set_property(GLOBAL PROPERTY JADE_TESTS_OF_${name} ${ARG_TESTS})
  endif()
endfunction()

# jade_add_test(name SOURCES … LIBRARIES …): a GoogleTest executable whose tests ctest lists one by one.
function(jade_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE jade_options jade_quick_to_build Jade::engine GTest::gtest_main ${ARG_LIBRARIES})
  include(GoogleTest)
  # Properties draw the same worlds in every run; a campaign sets RC_PARAMS itself and runs the executable.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600 ENVIRONMENT RC_PARAMS=seed=20261116)
endfunction()

# The engine's unit tests are declared in its folders and created only when the suite is built.
function(jade_add_engine_tests)
  get_property(modules GLOBAL PROPERTY JADE_TESTED_MODULES)
  foreach(module IN LISTS modules)
    get_property(sources GLOBAL PROPERTY JADE_TESTS_OF_${module})
    jade_add_test(${module}_test SOURCES ${sources} LIBRARIES rapidcheck fmt::fmt nlohmann_json::nlohmann_json)
    # They are all compiled alike, so that one precompiled header serves them.
    if(first)
      jade_reuse_precompiled(${module}_test ${first})
    else()
      set(first ${module}_test)
      jade_precompile(${first} <gtest/gtest.h>)
    endif()
  endforeach()
endfunction()
