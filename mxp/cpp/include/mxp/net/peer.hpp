/// The peer at the other end of a connection.
#ifndef MXP_NET_PEER_HPP
#define MXP_NET_PEER_HPP

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "process.hpp"

namespace mxp::net {

/// A certificate that TLS has verified, and the names that it is for.
struct certificate {
    /// Its distinguished name, as RFC 4514 writes it: `CN=mixer,O=Desk`.
    std::string subject{};
    std::vector<std::string> dns_names{};
    std::vector<std::string> uris{};
    std::vector<std::string> emails{};
    /// Its number, and the hash of the whole, in lower-case hexadecimal.
    std::string serial{};
    std::string sha256{};
};

/// The other side of a connection, as the transport tells.
struct peer {
    /// That of failures and logs: which a client has connected to, or from which one has. The
    /// clients of a unix socket or a pipe have none: it is the server's.
    std::string address{};
    /// The scheme of the transport: `unix`, `shm`, `pipe`, `tcp`, `tls`, `ws`, `wss`, or that of
    /// one that was registered. A connection to `mxp+shm` that has no shared memory is one of
    /// `unix`.
    std::string transport{};
    /// The program at the other end, as of a unix socket or a pipe, where the system tells.
    std::optional<net::process> process{};
    /// There is one if its chain was verified.
    std::optional<net::certificate> certificate{};
};

/// Says why a peer is not let in, if it isn't.
using admission = std::function<std::optional<failure>(const peer&)>;

}  // namespace mxp::net

#endif  // MXP_NET_PEER_HPP
