/// Channels in shared memory, of which one thread has both sides.
#ifndef REALTIME_CHANNELS_HPP
#define REALTIME_CHANNELS_HPP

#include <cstddef>
#include <memory>

#include "audio.hpp"
#include "mxp/net/channel.hpp"

namespace realtime {

/// One direction of a channel.
struct direction {
    mxp::net::channel_sender<audio::Frame> sender;
    mxp::net::channel_receiver<audio::Frame> receiver;
};

/// The channels of one thread, each for an operation.
struct channels {
    direction sent;
    direction received;
    direction latest;

    /// Brings each channel to a fill level. Either side then has to look at the other's number,
    /// which it need not as long as it knows of room or values: so operations do all that they ever
    /// do.
    [[nodiscard]] bool fill(std::size_t level, const audio::Frame& frame);
};

/// Opens channels at servers of their own, which are there as long as the program; null where that
/// can't be.
[[nodiscard]] std::unique_ptr<channels> open_channels();

}  // namespace realtime

#endif  // REALTIME_CHANNELS_HPP
