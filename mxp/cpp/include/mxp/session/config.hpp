/// What a session is made with.
#ifndef MXP_SESSION_CONFIG_HPP
#define MXP_SESSION_CONFIG_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "observer.hpp"
#include "spec_gen.hpp"

namespace mxp::session {

/// Which side of a connection a session is. It decides which message ids are its own [MXP-5.2].
enum class role : bool {
    /// The side that connected.
    opener,
    acceptor,
};

/// A type, by what tells whether two sides mean the same by it. Generated code has both.
struct type {
    /// Full name: package, dot, name.
    std::string name{};
    /// Cumulative fingerprints of its segments, in order.
    std::vector<std::uint64_t> fingerprints{};
    /// The layout text; empty if there is none.
    std::string layout{};
};

/// Bounds of a session, by the names of limits.toml. Times are in microseconds.
struct limits {
    std::size_t in_flight = mxp::session::in_flight;
    std::size_t in_flight_bytes = mxp::session::in_flight_bytes;
    std::size_t queue_bytes = mxp::session::queue_bytes;
    std::size_t reply_bytes = mxp::session::reply_bytes;
    std::size_t refusals = mxp::session::refusals;
    std::size_t refusals_per_ms = mxp::session::refusals_per_ms;
    std::uint64_t hello_us = mxp::session::hello_us;
    std::uint64_t frame_us = mxp::session::frame_us;
    std::uint64_t stall_us = mxp::session::stall_us;
    std::uint64_t ping_us = mxp::session::ping_us;
    std::uint64_t pong_us = mxp::session::pong_us;
};

/// What a session is made with.
struct config {
    /// The services that this side serves, by full name. The peer names them by their positions.
    std::vector<std::string> services{};
    /// What the services that this side serves or uses reach.
    std::vector<type> types{};
    /// The longest payload that is taken.
    std::size_t payload_bytes = mxp::payload_bytes;
    /// Whether to offer that trailers may be 0, where the transport protects the bytes [MXP-6.7].
    bool offers_checksum_off = false;
    /// Whether the user answers agent requests [MXP-12.2].
    bool takes_agents = false;
    mxp::session::limits limits{};
    /// Who is told how the session fares; it has to outlive the session. There may be none.
    mxp::session::observer* observer = nullptr;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_CONFIG_HPP
