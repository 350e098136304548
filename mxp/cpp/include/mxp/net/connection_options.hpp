/// The options of a connection.
#ifndef MXP_NET_CONNECTION_OPTIONS_HPP
#define MXP_NET_CONNECTION_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents.hpp"
#include "budget.hpp"
#include "bulk_reads.hpp"
#include "meters.hpp"
#include "observation.hpp"
#include "peer.hpp"
#include "services.hpp"

namespace mxp::net {

/// The options of a connection, of a client or of a server.
struct connection_options {
    std::shared_ptr<const net::services> services{};
    session::config config{};
    session::role role{};
    /// How many bytes may be on their way to the reader of a stream. The peer can send no chunk
    /// of more than half of it.
    std::size_t window = 2 << 20;
    /// The address of the other side, if it is known.
    std::shared_ptr<const std::string> peer{};
    /// The identity of the other side, for handlers.
    std::shared_ptr<const net::peer> who{};
    /// The log of failures of the peer's requests that this side has to mend. May be empty.
    std::function<void(const failure&)> on_failure{};
    /// The budget that it shares with others. There may be none.
    std::shared_ptr<detail::budget> budget{};
    /// The order in which those are read that read much, shared with others. There may be none.
    std::shared_ptr<detail::bulk_reads> bulk_reads{};
    /// The directory that answers agent requests, and the owner of this connection's leases. There
    /// may be none.
    std::shared_ptr<detail::agents> agents{};
    std::uint64_t owner = 0;
    /// The counters of requests by their methods, which it shares with others.
    std::shared_ptr<detail::meters> meters{};
    /// The observer that is told of requests. There may be none.
    std::shared_ptr<const detail::observer_side> told{};
};

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTION_OPTIONS_HPP
