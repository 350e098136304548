/// The state's values, and the lists of operations.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "path.hpp"
#include "state.hpp"

namespace realtime {
namespace {

audio::Parameter parameter(std::uint32_t id) {
    static constexpr const char* names[] = {"Gain", "Threshold", "Knee",
                                            "Sidechain high-pass frequency"};
    audio::Parameter made{id, names[id % 4], {-60, 6}, {}};
    if (id % 3 != 0) {
        made.unit = "dB";
    }
    return made;
}

/// Lays an encoding into each slot.
bool lay(input& into, const sdp::result<std::vector<std::byte>>& encoding) {
    if (!encoding || encoding->size() > slot_bytes) {
        return false;
    }
    into.size = encoding->size();
    for (std::size_t level = 0; level < REALTIME_LEVELS; ++level) {
        std::copy(encoding->begin(), encoding->end(), into.places.at(level).begin());
    }
    return true;
}

bool fill_values(state& s) {
    s.frame.samples.fill(0.25F);
    s.transport = {true, 48'000, 120.5, {3, 4}};
    s.block.sequence = 7;
    s.block.channel = 1;
    for (int i = 0; i < 128; ++i) {
        s.block.samples.push_back(static_cast<float>(i) / 128);
    }
    s.plugin.name = "Compressor";
    for (std::uint32_t i = 0; i < 12; ++i) {
        s.plugin.parameters.push_back(parameter(i));
    }
    for (std::uint32_t i = 0; i < 16; ++i) {
        s.plugin.changes.push_back({i % 4, 8 * i, static_cast<float>(i)});
    }
    s.plugin.preset.emplace(parameter(3));
    return lay(s.encoded_transport, sdp::encode(s.transport)) &&
           lay(s.block_message, sdp::encode_message(s.block)) &&
           lay(s.encoded_plugin, sdp::encode(s.plugin)) &&
           sdp::decode_message_into(s.kept_block, s.block_message.at(0)) &&
           sdp::decode_into(s.kept_plugin, s.encoded_plugin.at(0));
}

}  // namespace

std::uint64_t refused() noexcept REALTIME_NONBLOCKING { return 0; }

}  // namespace realtime

void* realtime_prepare(unsigned char* untouched) {
    auto* made = new realtime::state;
    made->options.resource = &made->arena;
    made->faults.untouched = untouched;
    if (made->opened == nullptr || !realtime::fill_values(*made)) {
        delete made;
        return nullptr;
    }
    return made;
}

void realtime_fill(void* opaque, size_t level) {
    auto& s = realtime::of(opaque);
    s.level = level;
    s.arena.release();
    if (level > 0) {
        static_cast<void>(s.arena.allocate(level * realtime::slot_bytes));
    }
    if (!s.opened->fill(level, s.frame)) {
        std::abort();
    }
}

const realtime_operation* realtime_operations() {
    static constexpr realtime_operation all[] = {
        {"encode_transport", path_encode_transport},
        {"decode_transport", path_decode_transport},
        {"encode_block", path_encode_block},
        {"view_block", path_view_block},
        {"borrow_block", path_borrow_block},
        {"decode_into_block", path_decode_into_block},
        {"encode_plugin", path_encode_plugin},
        {"view_plugin", path_view_plugin},
        {"borrow_plugin", path_borrow_plugin},
        {"pmr_plugin", path_pmr_plugin},
        {"decode_into_plugin", path_decode_into_plugin},
        {"channel_send", path_channel_send},
        {"channel_receive", path_channel_receive},
        {"channel_latest", path_channel_latest},
        {nullptr, nullptr},
    };
    return all;
}

const realtime_operation* realtime_faults() {
    static constexpr realtime_operation all[] = {
        {"allocation", fault_allocation},
        {"lock", fault_lock},
        {"sleep", fault_sleep},
        {"file", fault_file},
        {"system_call", fault_system_call},
        {"page_fault", fault_page_fault},
        {"uneven", fault_uneven},
        {nullptr, nullptr},
    };
    return all;
}
