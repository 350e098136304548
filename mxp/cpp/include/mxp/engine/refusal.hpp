/// Why a session makes no request, and sends no chunk.
#ifndef MXP_ENGINE_REFUSAL_HPP
#define MXP_ENGINE_REFUSAL_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../session.hpp"
#include "failure.hpp"

namespace mxp::engine {

/// Why a session makes no request.
[[nodiscard]] inline failure refusal_of(session::kind of, const session::session& one) {
    if (of == session::kind::limit_in_flight) {
        return failure_of(of, std::to_string(one.bounds().in_flight) +
                                  " requests wait for their answers");
    }
    if (of != session::kind::payload_too_large) {
        return failure_of(of);
    }
    const auto [bytes, most] = one.too_large();
    return failure_of(of, bytes == 0 ? "a text or a list is too long to be encoded"
                                     : "a payload of " + std::to_string(bytes) +
                                           " bytes, where the peer takes " + std::to_string(most));
}

/// Why a chunk of so many bytes can't be sent on a stream, if it might never be granted
/// [MXP-8.7].
[[nodiscard]] inline std::optional<failure> over_window(session::session& one, std::uint64_t id,
                                                        std::size_t n) {
    const auto most = one.largest_chunk(id);
    if (!most || n <= *most) {
        return std::nullopt;
    }
    return failure_of(session::kind::stream_window,
                      "a chunk of " + std::to_string(n) +
                          " bytes, where the receiver's window lets " + std::to_string(*most) +
                          " through");
}

}  // namespace mxp::engine

#endif  // MXP_ENGINE_REFUSAL_HPP
