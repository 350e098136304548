# Finds what MXP is built on: mxp::xxhash, and mxp::asio where Asio is there. The sources and the
# installed package include this alike, so a package is good on a machine that has them elsewhere.
find_path(MXP_XXHASH_INCLUDE xxhash.h)
if(NOT MXP_HASH_FROM_HEADER)
  find_library(MXP_XXHASH_LIBRARY xxhash)
endif()
if(NOT TARGET mxp::xxhash AND MXP_XXHASH_INCLUDE AND (MXP_HASH_FROM_HEADER OR MXP_XXHASH_LIBRARY))
  add_library(mxp::xxhash INTERFACE IMPORTED GLOBAL)
  set_property(TARGET mxp::xxhash PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${MXP_XXHASH_INCLUDE}")
  if(MXP_HASH_FROM_HEADER)
    set_property(TARGET mxp::xxhash PROPERTY INTERFACE_COMPILE_DEFINITIONS XXH_INLINE_ALL)
  else()
    set_property(TARGET mxp::xxhash PROPERTY INTERFACE_LINK_LIBRARIES "${MXP_XXHASH_LIBRARY}")
    # Whether this library chooses its instructions when it runs. include/mxp/hash.hpp has more.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES "${MXP_XXHASH_INCLUDE}")
    set(CMAKE_REQUIRED_LIBRARIES "${MXP_XXHASH_LIBRARY}")
    check_cxx_source_compiles(
      "#include <xxh_x86dispatch.h>\nint main() { return XXH3_64bits_dispatch(0, 0) == 0; }"
      MXP_XXHASH_DISPATCHES)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set_property(TARGET mxp::xxhash PROPERTY INTERFACE_COMPILE_DEFINITIONS
                                             "MXP_HASH_DISPATCH=$<BOOL:${MXP_XXHASH_DISPATCHES}>")
  endif()
endif()

find_path(MXP_ASIO_INCLUDE asio.hpp)
if(NOT TARGET mxp::asio AND MXP_ASIO_INCLUDE)
  find_package(Threads QUIET)
  if(TARGET Threads::Threads)
    add_library(mxp::asio INTERFACE IMPORTED GLOBAL)
    set_property(TARGET mxp::asio PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${MXP_ASIO_INCLUDE}")
    set_property(TARGET mxp::asio PROPERTY INTERFACE_COMPILE_DEFINITIONS ASIO_STANDALONE)
    set_property(TARGET mxp::asio PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
    if(WIN32)
      # One release of Windows for all sources, since Asio's types differ by it.
      set_property(TARGET mxp::asio APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS _WIN32_WINNT=0x0A00)
      set_property(TARGET mxp::asio APPEND PROPERTY INTERFACE_LINK_LIBRARIES ws2_32 mswsock)
    endif()
  endif()
endif()
