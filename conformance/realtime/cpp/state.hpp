/// Everything that operations read and write: it is made before they run.
#ifndef REALTIME_STATE_HPP
#define REALTIME_STATE_HPP

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "../operations.h"
#include "audio.hpp"
#include "channels.hpp"

namespace realtime {

/// The bytes of a slot. No operation takes more of the arena.
inline constexpr std::size_t slot_bytes = 8192;

/// Memory in slots, one for each fill level, which is touched when it is made.
struct slots {
    [[nodiscard]] sdp::span<std::byte> at(std::size_t level) noexcept {
        return {bytes.data() + level * slot_bytes, slot_bytes};
    }

    std::vector<std::byte> bytes = std::vector<std::byte>(REALTIME_LEVELS * slot_bytes);
};

/// A message, as it lies in each slot.
struct input {
    [[nodiscard]] sdp::bytes_view at(std::size_t level) const noexcept {
        return {places.bytes.data() + level * slot_bytes, size};
    }

    slots places;
    std::size_t size = 0;
};

/// Everything that faults need.
struct supplies {
    std::mutex lock;
    /// Pages that nobody has touched.
    unsigned char* untouched = nullptr;
};

/// The state of one thread.
struct state {
    audio::Transport transport;
    audio::Block block;
    audio::Plugin plugin;
    audio::Frame frame;
    std::unique_ptr<channels> opened = open_channels();

    input encoded_transport;
    input block_message;
    input encoded_plugin;

    // Values that are there, with memory enough.
    audio::Block kept_block;
    audio::Plugin kept_plugin;
    audio::Frame kept_frame;

    slots written;
    slots memory;
    std::pmr::monotonic_buffer_resource arena{memory.bytes.data(), memory.bytes.size(),
                                              std::pmr::null_memory_resource()};
    /// How everything is decoded: lists and texts take their memory from the arena.
    sdp::decode_options options;
    std::size_t level = 0;
    supplies faults;
};

/// The state behind a pointer of C's.
[[nodiscard]] inline state& of(void* opaque) noexcept { return *static_cast<state*>(opaque); }

}  // namespace realtime

#endif  // REALTIME_STATE_HPP
