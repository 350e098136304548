/// The window of streams.
#ifndef MXP_ENGINE_WINDOW_HPP
#define MXP_ENGINE_WINDOW_HPP

#include <cstdint>
#include <string_view>

#include "../session/spec_gen.hpp"

namespace mxp::engine {

/// How many chunks may be on their way to the reader of a stream; most often the bytes are the
/// bound. Empty ones that came alone count 64 bytes each where nobody takes them [MXP-15.2]: 1 MiB
/// together.
inline constexpr std::uint32_t window_messages = 16384;

/// The same of a service's streams: few events of the mesh, of which a node drops old ones
/// [MESH-5.1].
[[nodiscard]] inline std::uint32_t messages_of(std::string_view service) {
    return service == "mxp.mesh.Mesh" ? static_cast<std::uint32_t>(session::subscription_messages)
                                      : window_messages;
}

}  // namespace mxp::engine

#endif  // MXP_ENGINE_WINDOW_HPP
