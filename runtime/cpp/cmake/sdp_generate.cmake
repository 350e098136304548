# sdp_generate(TARGET schema.sdp... [IMPORTS folder...] [FORMS form...] [SERVICES] [SPLIT])
#
# Generates C++ from schemas, and from the schemas that they import, with the compiler `sdp`: before
# TARGET is built, and again after any of them has changed. TARGET, and what links to it, then
# includes "plugins.hpp" for `package plugins;`. Schemas look for their imports in their own folder
# and in those after IMPORTS. Types are made in the FORMS owned, borrowed, pmr and views; without
# it, in the owned one, on which the others rest. With SERVICES there is "plugins_service.hpp" too,
# with servers and clients of the package's services, and TARGET links to mxp::net. With SPLIT what
# encodes and decodes is compiled once, in TARGET, and not in each source that includes a header.
#
# The compiler is looked for in the PATH; SDP_COMPILER names it where that isn't enough. Generated
# code that is checked in needs neither the compiler nor this function.
function(sdp_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERVICES;SPLIT" "" "IMPORTS;FORMS")
  if(CMAKE_VERSION VERSION_LESS 3.20)
    message(FATAL_ERROR "sdp_generate needs CMake 3.20 or newer, and this is ${CMAKE_VERSION}")
  elseif(NOT TARGET "${target}" OR NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "usage: sdp_generate(TARGET schema.sdp... [IMPORTS folder...] [FORMS form...] [SERVICES] [SPLIT])")
  elseif(TARGET "${target}_sdp")
    message(FATAL_ERROR "sdp_generate was called for ${target} before: name all schemas at once")
  elseif(arg_SERVICES AND NOT TARGET mxp::net)
    message(
      FATAL_ERROR
        "sdp_generate with SERVICES needs the target mxp::net before it is called: write\n"
        "  add_subdirectory(path/to/sdp/mxp/cpp mxp)\n"
        "with a copy of SDP's repository, or find_package(mxp CONFIG REQUIRED COMPONENTS net) where "
        "it is installed from there. mxp::net is only there if Asio is (Debian: libasio-dev).")
  endif()
  get_target_property(type "${target}" TYPE)
  if(arg_SPLIT AND type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "sdp_generate with SPLIT needs a target that compiles sources, which the INTERFACE library ${target} doesn't")
  endif()
  _sdp_find_compiler()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/sdp_generate/${target}")
  _sdp_absolute(schemas ${arg_UNPARSED_ARGUMENTS})
  _sdp_absolute(imports ${arg_IMPORTS})
  # Each of the two lists stays one argument.
  string(REPLACE ";" "\\;" named "${schemas}")
  string(REPLACE ";" "\\;" imports "${imports}")
  string(REPLACE ";" "," forms "${arg_FORMS}")
  set(generate
      "${CMAKE_COMMAND}" "-Dcompiler=${SDP_COMPILER}" "-Dschemas=${named}" "-Dimports=${imports}"
      "-Dfolder=${folder}" "-Dservices=${arg_SERVICES}" "-Dforms=${forms}" "-Dsplit=${arg_SPLIT}" -P
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/sdp_generate_run.cmake")

  # Only the compiler knows the names of the headers. The list of a run becomes the next one's
  # outputs; a list that has changed has the build configured again. The first run is now, which
  # lets editors find the headers too; if it fails, the build says why.
  set(list "${folder}/headers.txt")
  if(NOT EXISTS "${list}")
    execute_process(COMMAND ${generate} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                    OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT EXISTS "${list}")
    file(WRITE "${list}" "")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  file(STRINGS "${list}" headers)
  # One source includes all that are made, so that it is known before they are.
  set(sources "")
  if(arg_SPLIT)
    set(sources "${folder}/types.cpp")
    if(NOT EXISTS "${sources}")
      file(WRITE "${sources}" "")
    endif()
    target_sources("${target}" PRIVATE "${sources}")
  endif()

  # Not every build tool runs a command again that has changed, so it is a file too.
  file(CONFIGURE OUTPUT "${folder}/command.txt" CONTENT "${generate}\n" @ONLY)
  add_custom_command(
    OUTPUT "${folder}/stamp" BYPRODUCTS ${headers} ${sources} COMMAND ${generate}
    DEPENDS ${schemas} "${SDP_COMPILER}" "${folder}/command.txt" DEPFILE "${folder}/stamp.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" COMMENT "Generating C++ for ${target}" VERBATIM)
  add_custom_target("${target}_sdp" DEPENDS "${folder}/stamp")
  add_dependencies("${target}" "${target}_sdp")

  set(scope PUBLIC)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_include_directories("${target}" ${scope} "$<BUILD_INTERFACE:${folder}/include>")
  target_link_libraries("${target}" ${scope} sdp::sdp)
  if(arg_SERVICES)
    target_link_libraries("${target}" ${scope} mxp::net)
  endif()
endfunction()

# Paths that are relative to the folder of the CMakeLists.txt, made absolute.
function(_sdp_absolute out)
  set(paths "")
  foreach(path IN LISTS ARGN)
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND paths "${path}")
  endforeach()
  set(${out} "${paths}" PARENT_SCOPE)
endfunction()

# Finds the compiler, and refuses one of a release whose code isn't made for this runtime: before
# 1.0 a minor version may change what is between the two.
function(_sdp_find_compiler)
  find_program(SDP_COMPILER sdp DOC "The compiler of SDP schemas")
  get_property(release GLOBAL PROPERTY SDP_RELEASE)
  if(NOT SDP_COMPILER)
    message(
      FATAL_ERROR
        "sdp_generate needs the compiler `sdp`, which isn't in the PATH. Install release ${release} with\n"
        "  go install github.com/serial-data-protocol/sdp/cmd/sdp@v${release}\n"
        "or, if this package is of a copy of SDP's repository, with\n"
        "  go install ./cmd/sdp\n"
        "in it, or as its docs/install.md says. Or set SDP_COMPILER to where it is. "
        "Generated code that is checked in needs no compiler.")
  endif()
  execute_process(COMMAND "${SDP_COMPILER}" version OUTPUT_VARIABLE says ERROR_QUIET)
  if(NOT says MATCHES "^sdp ([0-9]+\\.[0-9]+)")
    message(FATAL_ERROR "${SDP_COMPILER} is not the SDP compiler: it doesn't answer to `sdp version`. "
                        "Set SDP_COMPILER to where the compiler is.")
  endif()
  set(found "${CMAKE_MATCH_1}")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" series "${release}")
  if(NOT found STREQUAL series)
    message(FATAL_ERROR "${SDP_COMPILER} is SDP ${found}, and the runtime is SDP ${series}: "
                        "bring both to the same release")
  endif()
endfunction()
