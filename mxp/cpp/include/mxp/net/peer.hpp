/// The peer at the other end of a connection.
#ifndef MXP_NET_PEER_HPP
#define MXP_NET_PEER_HPP

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "peer_user.hpp"

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
    /// That of failures and logs: which a client has connected to, or from which one has. A unix
    /// socket's clients have none: it is the socket's.
    std::string address{};
    /// The scheme of the transport: `unix`, `tcp`, `tls`, or that of one that was registered.
    std::string transport{};
    /// The program at the other end, as of a unix socket, where the system tells.
    std::optional<net::process> process{};
    /// There is one if its chain was verified.
    std::optional<net::certificate> certificate{};
};

/// Says why a peer is not let in, if it isn't.
using admission = std::function<std::optional<failure>(const peer&)>;

namespace detail {

/// The failure that a peer is told that is not let in; nothing has been read of what it asks for.
[[nodiscard]] inline failure not_admitted(failure why) {
    if (why.status == session::status::Unknown || why.status == session::status::Ok) {
        why.status = session::status::PermissionDenied;
    }
    why.name = why.name.empty() ? "not_admitted" : bounded(why.name, name_max);
    why.text = bounded(why.text, session::failure_text_bytes);
    return refused(std::move(why));
}

/// Why a peer is not let in by a server that has no rule of its own, where the system tells whose
/// program it is: only the same user's may connect.
[[nodiscard]] inline std::optional<failure> admit_same_user(const peer& one) {
    failure why;
    if (!one.process || !one.process->user) {
        why.text = "the system does not tell the peer's user";
    } else if (*one.process->user != ::geteuid()) {
        why.text = "the peer runs as user " + std::to_string(*one.process->user);
    } else {
        return std::nullopt;
    }
    return why;
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_PEER_HPP
