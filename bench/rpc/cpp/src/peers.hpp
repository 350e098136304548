/// The peers: a file for each, which is used in the way that is best for it.
#ifndef RPCBENCH_PEERS_HPP
#define RPCBENCH_PEERS_HPP

#include <string>
#include <string_view>

#include "address.hpp"
#include "plan.hpp"

namespace rpcbench {

/// A peer: a function that serves until the process ends, and one that runs a plan with such a
/// server.
struct peer {
    std::string_view name;
    void (*serve)(const address& at);
    record (*call)(const address& at, const plan& of);
};

[[nodiscard]] const peer& peer_of(std::string_view name);

/// Says that there is somebody to be called.
void ready(const address& at);

/// Why a plan can't be done with a peer.
[[noreturn]] void no_such_kind(const plan& of);
/// Why a plan can't be done with a peer whose connections have one call in flight.
void only_one_in_flight(const plan& of);

namespace floor_asio {
void serve(const address& at);
record call(const address& at, const plan& of);
}  // namespace floor_asio

namespace mxp_bytes {
void serve(const address& at);
record call(const address& at, const plan& of);
record call_blocking(const address& at, const plan& of);
}  // namespace mxp_bytes

namespace mxp_batch {
void serve(const address& at);
record call(const address& at, const plan& of);
}  // namespace mxp_batch

namespace mxp_stub {
void serve(const address& at);
record call(const address& at, const plan& of);
}  // namespace mxp_stub

namespace grpc_async {
void serve(const address& at);
record call(const address& at, const plan& of);
}  // namespace grpc_async

namespace capnp_rpc {
void serve(const address& at);
record call(const address& at, const plan& of);
}  // namespace capnp_rpc

}  // namespace rpcbench

#endif  // RPCBENCH_PEERS_HPP
