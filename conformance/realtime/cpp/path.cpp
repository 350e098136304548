/// The path: operations that a real-time thread may run. Nothing else is in this file, so that the
/// references of its code are the functions that the path may call.
#include "path.hpp"

#include <cstring>
#include <string_view>

#include "state.hpp"

namespace realtime {
namespace {

// Numbers made of all that was read, so that a compiler leaves none of it out.

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
    return (a ^ b) * 0x9e3779b97f4a7c15;
}

template <class T>
std::uint64_t bits(T value) noexcept {
    std::uint64_t all = 1;
    std::memcpy(&all, &value, sizeof(value));
    return all;
}

std::uint64_t bits(std::string_view text) noexcept {
    return text.empty() ? 1 : mixed(text.size(), static_cast<unsigned char>(text.back()));
}

template <class Numbers>
std::uint64_t sum(const Numbers& numbers) noexcept {
    float all = 1;
    for (const float number : numbers) {
        all += number;
    }
    return bits(all);
}

/// A number of encoded bytes: of their end, since nothing lies behind them.
std::uint64_t end_of(sdp::span<std::byte> out, std::size_t n) noexcept {
    return mixed(n, static_cast<unsigned>(out[n - 1]) + static_cast<unsigned>(out[n / 2]));
}

template <class Block>
std::uint64_t all_of_block(const Block& block) noexcept {
    return mixed(block.sequence + block.channel, sum(block.samples));
}

/// Reads all of a value's fields.
template <class Plugin>
std::uint64_t all_of_plugin(const Plugin& plugin) noexcept {
    std::uint64_t all = bits(std::string_view(plugin.name));
    for (const auto& parameter : plugin.parameters) {
        all = mixed(all, parameter.id + bits(std::string_view(parameter.name)));
        all = mixed(all, sum(parameter.range));
        if (parameter.unit) {
            all = mixed(all, bits(std::string_view(*parameter.unit)));
        }
    }
    for (const auto& change : plugin.changes) {
        all = mixed(all, change.parameter + change.frame + bits(change.value));
    }
    return plugin.preset ? mixed(all, plugin.preset->id) : all;
}

/// The same of a view, whose fields are functions.
std::uint64_t all_of_view(const audio::PluginView& plugin) noexcept {
    std::uint64_t all = bits(plugin.name());
    for (const auto& parameter : plugin.parameters()) {
        all = mixed(all, parameter.id() + bits(parameter.name()));
        all = mixed(all, sum(parameter.range()));
        if (const auto unit = parameter.unit()) {
            all = mixed(all, bits(*unit));
        }
    }
    for (const auto& change : plugin.changes()) {
        all = mixed(all, change.parameter + change.frame + bits(change.value));
    }
    const auto preset = plugin.preset();
    return preset ? mixed(all, preset->id()) : all;
}

}  // namespace
}  // namespace realtime

using namespace realtime;

std::uint64_t path_encode_transport(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto out = s.written.at(s.level);
    const auto n = sdp::encode(s.transport, out);
    return n ? end_of(out, *n) : refused();
}

std::uint64_t path_decode_transport(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto value = sdp::decode<audio::Transport>(s.encoded_transport.at(s.level), s.options);
    return value ? mixed(value->sample + value->signature[1], bits(value->tempo)) : refused();
}

std::uint64_t path_encode_block(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto out = s.written.at(s.level);
    const auto n = sdp::encode_message(s.block, out);
    return n ? end_of(out, *n) : refused();
}

std::uint64_t path_view_block(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto input = s.block_message.at(s.level);
    const auto view = sdp::decode_message<audio::BlockView>(input, s.options);
    return view ? mixed(view->sequence() + view->channel(), sum(view->samples())) : refused();
}

std::uint64_t path_borrow_block(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto input = s.block_message.at(s.level);
    const auto block = sdp::decode_message<audio::BlockRef>(input, s.options);
    return block ? all_of_block(*block) : refused();
}

std::uint64_t path_decode_into_block(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto input = s.block_message.at(s.level);
    const auto done = sdp::decode_message_into(s.kept_block, input, s.options);
    return done ? all_of_block(s.kept_block) : refused();
}

std::uint64_t path_encode_plugin(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto out = s.written.at(s.level);
    const std::size_t size = sdp::encoded_size(s.plugin);
    const auto n = sdp::encode(s.plugin, out);
    return n ? mixed(end_of(out, *n), size) : refused();
}

std::uint64_t path_view_plugin(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto view = sdp::decode<audio::PluginView>(s.encoded_plugin.at(s.level), s.options);
    return view ? all_of_view(*view) : refused();
}

std::uint64_t path_borrow_plugin(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto plugin = sdp::decode<audio::PluginRef>(s.encoded_plugin.at(s.level), s.options);
    return plugin ? all_of_plugin(*plugin) : refused();
}

std::uint64_t path_pmr_plugin(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto plugin = sdp::decode<audio::pmr::Plugin>(s.encoded_plugin.at(s.level), s.options);
    return plugin ? all_of_plugin(*plugin) : refused();
}

std::uint64_t path_decode_into_plugin(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto done = sdp::decode_into(s.kept_plugin, s.encoded_plugin.at(s.level), s.options);
    return done ? all_of_plugin(s.kept_plugin) : refused();
}

std::uint64_t path_channel_send(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto done = s.opened->sent.sender.send(s.frame);
    return done == mxp::net::send_status::sent ? 1 : refused();
}

std::uint64_t path_channel_receive(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    const auto done = s.opened->received.receiver.receive(s.kept_frame);
    return done == mxp::net::receive_status::received ? sum(s.kept_frame.samples) : refused();
}

std::uint64_t path_channel_latest(void* opaque) noexcept REALTIME_NONBLOCKING {
    auto& s = realtime::of(opaque);
    auto& channel = s.opened->latest;
    if (channel.sender.send(s.frame) != mxp::net::send_status::sent) {
        return refused();
    }
    const auto done = channel.receiver.receive(s.kept_frame);
    return done == mxp::net::receive_status::received ? sum(s.kept_frame.samples) : refused();
}
