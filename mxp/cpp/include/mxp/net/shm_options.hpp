/// The options of connections by shared memory.
#ifndef MXP_NET_SHM_OPTIONS_HPP
#define MXP_NET_SHM_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "../session/spec_gen.hpp"

namespace mxp::net {

namespace detail {
class shm_account;
}  // namespace detail

/// The options of a client's, or a server's, connections by `mxp+shm`.
struct shm_options {
    /// The ring of this side of a connection: a power of two from 4 KiB to 1 GiB, all of it in
    /// memory from the beginning.
    std::size_t ring_bytes = session::shm_ring_bytes;
    /// The time that a waiting side looks for bytes before it sleeps: by default 20 us, and none
    /// with one processor.
    std::optional<std::chrono::microseconds> spin{};
    /// The most bytes of the rings of all connections together, the peers' rings among them.
    /// Connections beyond that go over the socket.
    std::size_t bytes = session::shm_bytes;
    /// That of the client, or the server, which makes it of these options.
    std::shared_ptr<detail::shm_account> account{};
};

}  // namespace mxp::net

#endif  // MXP_NET_SHM_OPTIONS_HPP
