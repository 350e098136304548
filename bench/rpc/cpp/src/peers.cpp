#include "peers.hpp"

#include <iostream>

#include "flaw.hpp"

namespace rpcbench {

namespace {

constexpr peer all[] = {
    {"floor-asio", floor_asio::serve, floor_asio::call},
#ifdef RPCBENCH_SDP
    {"mxp", mxp_bytes::serve, mxp_bytes::call},
    {"mxp-batch", mxp_batch::serve, mxp_batch::call},
    {"mxp-blocking", mxp_bytes::serve, mxp_bytes::call_blocking},
    {"mxp-stub", mxp_stub::serve, mxp_stub::call},
#endif
    {"grpc++", grpc_async::serve, grpc_async::call},
    {"capnp", capnp_rpc::serve, capnp_rpc::call},
};

}  // namespace

const peer& peer_of(std::string_view name) {
    for (const peer& one : all) {
        if (one.name == name) {
            return one;
        }
    }
    throw flaw{std::string{name} + ": no such peer in this program"};
}

void ready(const address& at) { std::cout << "ready " << at.text() << std::endl; }

void no_such_kind(const plan& of) {
    throw flaw{"this peer has no " + std::string{to_string(of.what)}};
}

void only_one_in_flight(const plan& of) {
    if (of.in_flight != 1) {
        throw flaw{"this peer has one call in flight on a connection"};
    }
}

}  // namespace rpcbench
