# Has a project compile mxp::net from MXP_NET_SOURCE, where something links to it. The sources and the
# installed package include this alike: the library is for the compiler, the options and the standard
# of the project that has it, since types are those of its standard library.
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
