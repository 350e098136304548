/// The configuration of a session.
#ifndef MXP_SESSION_CONFIG_HPP
#define MXP_SESSION_CONFIG_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observer.hpp"
#include "spec_gen.hpp"

namespace mxp::session {

/// The side of a connection that a session is. It decides which message ids are its own [MXP-5.2].
enum class role : bool {
    /// The side that connected.
    opener,
    acceptor,
};

/// The fate of an event where as much is queued as can be [MXP-9.5].
enum class when_full : std::uint8_t {
    refuse,
    /// It is dropped.
    drop_newest,
    /// The oldest events that wait are dropped.
    drop_oldest,
};

/// A method of a service.
struct method_name {
    /// Full name of the service: package, dot, name.
    std::string service{};
    std::uint16_t number = 0;
    std::string name{};
};

/// A type, by what tells whether two sides mean the same by it. Generated code has all of it.
struct type {
    /// Full name: package, dot, name.
    std::string name{};
    /// Cumulative fingerprints of its segments, in order.
    std::vector<std::uint64_t> fingerprints{};
    /// The layout text; empty if there is none.
    std::string layout{};
    /// The methods whose requests are of the type, here or at the peer. If the peer's type is
    /// another, these are refused, and all others work. Without any, here and in `responses`, the
    /// session ends [MXP-6.6].
    std::vector<method_name> requests{};
    /// The methods whose responses are of the type.
    std::vector<method_name> responses{};
};

/// Bounds of a session, by the names of limits.toml. Times are in microseconds.
struct limits {
    std::size_t in_flight = mxp::session::in_flight;
    std::size_t in_flight_bytes = mxp::session::in_flight_bytes;
    std::size_t queue_bytes = mxp::session::queue_bytes;
    std::size_t bulk_bytes = mxp::session::bulk_bytes;
    std::size_t reply_bytes = mxp::session::reply_bytes;
    std::size_t refusals = mxp::session::refusals;
    std::size_t refusals_per_ms = mxp::session::refusals_per_ms;
    std::uint64_t hello_us = mxp::session::hello_us;
    std::uint64_t frame_us = mxp::session::frame_us;
    std::size_t frame_bytes_per_s = mxp::session::frame_bytes_per_s;
    std::uint64_t stall_us = mxp::session::stall_us;
    /// Pings are off where it is 0.
    std::uint64_t ping_us = mxp::session::ping_us;
    std::uint64_t pong_us = mxp::session::pong_us;
    /// Of acceptors, which never drain by themselves where it is 0.
    std::uint64_t idle_us = mxp::session::idle_us;
    std::uint64_t linger_us = mxp::session::linger_us;
    /// The bytes that a connection may hold beside the frame that it reads; its owner looks at
    /// them [MXP-15.3].
    std::size_t connection_bytes = mxp::session::connection_bytes;
};

/// A limit that no session can have: 0, where something has to be able to pass, and a payload of
/// more than 16 MiB. It is said in words; there is none if all is well.
[[nodiscard]] inline std::optional<std::string> wrong_limit(std::size_t payload_bytes,
                                                            const limits& limits) {
    struct bound {
        const char* name;
        std::uint64_t value;
        std::uint64_t most;
    };
    constexpr std::uint64_t any = ~std::uint64_t{0};
    const bound all[] = {
        {"payload_bytes", payload_bytes, mxp::payload_bytes},
        {"in_flight", limits.in_flight, any},
        {"in_flight_bytes", limits.in_flight_bytes, any},
        {"queue_bytes", limits.queue_bytes, any},
        {"bulk_bytes", limits.bulk_bytes, any},
        {"reply_bytes", limits.reply_bytes, any},
        {"hello_us", limits.hello_us, any},
        {"frame_us", limits.frame_us, any},
        {"frame_bytes_per_s", limits.frame_bytes_per_s, any},
        {"stall_us", limits.stall_us, any},
        {"pong_us", limits.pong_us, any},
        {"connection_bytes", limits.connection_bytes, any},
    };
    for (const bound& one : all) {
        if (one.value == 0 || one.value > one.most) {
            return std::string{one.name} + " is " + std::to_string(one.value) +
                   ", and can be 1 to " + std::to_string(one.most);
        }
    }
    return std::nullopt;
}

/// The configuration of a session.
struct config {
    /// The services that this side serves, by full name. The peer names them by their positions.
    std::vector<std::string> services{};
    /// The types that the services reach which this side serves or uses.
    std::vector<type> types{};
    /// The longest payload that is taken.
    std::size_t payload_bytes = mxp::payload_bytes;
    /// Whether to offer that trailers may be 0, where the transport protects the bytes [MXP-6.7].
    bool offers_checksum_off = false;
    /// Whether to offer batches: several small chunks of a stream, or events, in one frame. They
    /// are made and taken where both sides offer it [MXP-17.2].
    bool offers_batches = false;
    /// Whether the user answers agent requests [MXP-12.2].
    bool takes_agents = false;
    mxp::session::limits limits{};
    /// The observer of how the session fares; it has to outlive the session. There may be none.
    mxp::session::observer* observer = nullptr;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_CONFIG_HPP
