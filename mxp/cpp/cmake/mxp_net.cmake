# Has a project compile mxp::net from MXP_NET_SOURCE, where something links to it. The sources and the
# installed package include this alike: the library is compiled with the compiler, the options and the
# standard of the project that links to it, since its types contain types of the standard library.
add_library(mxp_net STATIC EXCLUDE_FROM_ALL "${MXP_NET_SOURCE}")
add_library(mxp::net ALIAS mxp_net)
target_link_libraries(mxp_net PUBLIC mxp::mxp mxp::asio)
# One source is a unit already, which compiler caches know by its own path.
set_target_properties(mxp_net PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)

# Whether there is TLS is the same for all who use mxp::net, since its types differ. mxp::tls is
# the same library, by a name that is there only with TLS.
if(MXP_TLS)
  find_package(OpenSSL REQUIRED)
  target_compile_definitions(mxp_net PUBLIC MXP_TLS=1)
  target_link_libraries(mxp_net PUBLIC OpenSSL::SSL OpenSSL::Crypto)
  add_library(mxp::tls ALIAS mxp_net)
endif()

# WebSocket is a library beside it, since nobody else needs Boost: its source alone includes that.
if(MXP_WEBSOCKET)
  find_package(Boost 1.81 CONFIG QUIET)
  if(NOT Boost_FOUND)
    message(FATAL_ERROR "MXP_WEBSOCKET needs Boost 1.81 or later (Debian: libboost1.81-dev)")
  endif()
  add_library(mxp_websocket STATIC EXCLUDE_FROM_ALL "${MXP_WEBSOCKET_SOURCE}")
  add_library(mxp::websocket ALIAS mxp_websocket)
  target_link_libraries(mxp_websocket PUBLIC mxp_net)
  target_include_directories(mxp_websocket SYSTEM PRIVATE ${Boost_INCLUDE_DIRS})
  set_target_properties(mxp_websocket PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
endif()
