/// The options of channels, and how they end.
#ifndef MXP_NET_CHANNEL_OPTIONS_HPP
#define MXP_NET_CHANNEL_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "failure.hpp"

namespace mxp::net {

/// How values of one direction of a channel reach their receiver.
enum class delivery : std::uint8_t {
    /// All of them, in order. Where the receiver does not keep up the sender is told that there is
    /// no room.
    queue,
    /// The newest alone. The sender never waits, and a receiver that does not keep up sees no
    /// values between.
    latest,
};

/// The options of a channel. Both sides have to give the same deliveries.
struct channel_options {
    /// How requests, which the opener sends, reach the server.
    delivery requests = delivery::queue;
    /// How responses reach the opener.
    delivery responses = delivery::queue;
    /// How many values of this side's there is room for at least, and never less than 4. A ring's
    /// bytes are a power of two, so that there mostly is more.
    std::size_t capacity = 16;
    /// The time that a waiting thread looks before it sleeps: by default 20 us, and none with one
    /// processor.
    std::optional<std::chrono::microseconds> spin{};
    /// The time that opening may take.
    std::chrono::microseconds timeout{session::connect_us};
    /// How many bytes the two rings of a channel that is opened have at most together. A server's
    /// channels count in `shm_options::bytes`.
    std::size_t bytes = session::shm_bytes;
};

/// Why a channel carries nothing more.
enum class channel_end : std::uint8_t {
    /// It carries more.
    none,
    /// The peer sends no more, and all that it has sent was taken; or it takes no more.
    ended,
    /// The peer is gone, and has not said so before.
    lost,
    /// The peer's numbers can't be right: `shm_index`.
    index,
    /// The peer has sent bytes that are no value of the type: `value_invalid`.
    value,
    /// This side has closed it.
    here,
};

/// The name of the refusal, where it is one.
[[nodiscard]] constexpr std::string_view to_string(channel_end end) noexcept {
    return end == channel_end::lost    ? session::to_string(session::kind::lost)
           : end == channel_end::index ? session::to_string(session::kind::shm_index)
           : end == channel_end::value ? std::string_view{"value_invalid"}
                                       : std::string_view{};
}

/// The fate of a value that was to be sent.
enum class send_status : std::uint8_t {
    sent,
    /// The receiver has not taken the values before: there is no room. Only a queue is ever full.
    full,
    /// The channel carries nothing more: `closed` says why.
    closed,
    /// The value has no encoding, as one with a number that is none of its enum's. Nothing was
    /// sent, and the channel goes on.
    invalid,
};

/// The outcome of a look for a value.
enum class receive_status : std::uint8_t {
    received,
    /// There is none yet, or none that is newer.
    empty,
    /// The channel carries nothing more, behind all values that came before: `closed` says why.
    closed,
};

}  // namespace mxp::net

#endif  // MXP_NET_CHANNEL_OPTIONS_HPP
