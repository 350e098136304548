/// Functions that are held against what they call, by a compiler that knows
/// `[[clang::nonblocking]]`. Of functions that promise nothing, and are templates or inline, it
/// looks into the code. So it goes through all that validates bytes for a view, reads values of
/// fixed size, and writes and measures values of every form.
///
/// Functions that return an `sdp::result` can't be here: the text of a refusal takes memory, and
/// the end of a result may give it back.
#include <cstddef>
#include <cstdint>

#include "path.hpp"
#include "state.hpp"

namespace realtime {
namespace {

namespace wire = sdp::wire;

/// Reads a value, or the places of a view.
template <class Codec, class T>
bool read(wire::decoder& d, wire::cursor& s, T& into) noexcept REALTIME_NONBLOCKING {
    return wire::read<wire::top<Codec>>(d, s, into, 0);
}

template <class View>
bool validate(wire::decoder& d, wire::cursor& s, View& view) noexcept REALTIME_NONBLOCKING {
    return read<typename View::sdp_codec>(d, s, wire::access::places(view));
}

template <class T>
std::byte* write(wire::writer& w, std::byte* out, const T& value) noexcept REALTIME_NONBLOCKING {
    return wire::write_message(w, out, value);
}

template <class T>
std::size_t measure(const T& value) noexcept REALTIME_NONBLOCKING {
    return sdp::encoded_size(value);
}

// All types in all of their forms.

[[maybe_unused]] bool reads(wire::decoder& d, wire::cursor& s, audio::TransportView& transport,
                            audio::BlockView& block, audio::PluginView& plugin,
                            audio::Transport& value) noexcept REALTIME_NONBLOCKING {
    return validate(d, s, transport) && validate(d, s, block) && validate(d, s, plugin) &&
           read<audio::Transport::sdp_codec>(d, s, value);
}

template <class... T>
void writes_all(wire::writer& w, std::byte* out, const T&... values) noexcept REALTIME_NONBLOCKING {
    std::size_t left = 0;
    ((out = write(w, out, values), left += measure(values)), ...);
    static_cast<void>(left);
}

[[maybe_unused]] void writes(wire::writer& w, std::byte* out, const audio::Transport& transport,
                             const audio::Block& block, const audio::BlockRef& block_ref,
                             const audio::pmr::Block& block_pmr, const audio::Plugin& plugin,
                             const audio::PluginRef& plugin_ref,
                             const audio::pmr::Plugin& plugin_pmr) noexcept REALTIME_NONBLOCKING {
    writes_all(w, out, transport, block, block_ref, block_pmr, plugin, plugin_ref, plugin_pmr);
}

/// Sends and receives values of a channel.
[[maybe_unused]] bool exchanges(direction& by, audio::Frame& value) noexcept REALTIME_NONBLOCKING {
    return by.sender.send(value) == mxp::net::send_status::sent &&
           by.receiver.receive(value) == mxp::net::receive_status::received &&
           by.sender.closed() == by.receiver.closed();
}

/// Goes through the ranges of a view. Its fields are functions that promise it themselves.
[[maybe_unused]] std::uint64_t ranges(const audio::PluginView& plugin,
                                      const audio::BlockView& block) noexcept REALTIME_NONBLOCKING {
    std::uint64_t all = plugin.parameters().size() + plugin.changes().size();
    for (const auto& parameter : plugin.parameters()) {
        all += parameter.id() + parameter.name().size() + parameter.range().size();
        all += parameter.unit().has_value() ? 1 : 0;
    }
    for (const auto& change : plugin.changes()) {
        all += change.frame;
    }
    for (const float sample : block.samples()) {
        all += sample < 0 ? 1 : 0;
    }
    return plugin.preset().has_value() ? all + 1 : all;
}

}  // namespace
}  // namespace realtime
