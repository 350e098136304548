/// Ends and refusals of requests and sessions, as this side tells and hears of them.
#ifndef MXP_ENGINE_ENDING_HPP
#define MXP_ENGINE_ENDING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "../session.hpp"
#include "failure.hpp"
#include "failure_text.hpp"

namespace mxp::engine {

/// Why a session makes no request.
[[nodiscard]] inline failure refusal_of(session::kind refusal, const session::session& session) {
    if (refusal == session::kind::limit_in_flight) {
        return failure_of(refusal, std::to_string(session.bounds().in_flight) +
                                       " requests wait for their answers");
    }
    if (refusal != session::kind::payload_too_large) {
        return failure_of(refusal);
    }
    const auto [bytes, most] = session.too_large();
    return failure_of(refusal, bytes == 0
                                   ? "a text or a list is too long to be encoded"
                                   : "a payload of " + std::to_string(bytes) +
                                         " bytes, where the peer takes " + std::to_string(most));
}

/// Why a chunk of so many bytes can't be sent on a stream, if it might never be granted
/// [MXP-8.7].
[[nodiscard]] inline std::optional<failure> over_window(session::session& session, std::uint64_t id,
                                                        std::size_t n) {
    const auto most = session.largest_chunk(id);
    if (!most || n <= *most) {
        return std::nullopt;
    }
    return failure_of(session::kind::stream_window,
                      "a chunk of " + std::to_string(n) +
                          " bytes, where the receiver's window lets " + std::to_string(*most) +
                          " through");
}

/// Whether a chunk was sent, waits for the peer's grants or for room in the session's queue, or can
/// never be sent.
enum class chunk_outcome : std::uint8_t { sent, ungranted, crowded, refused };

/// Sends a chunk if it can be sent now. A chunk that never can be sent leaves its failure.
template <class Clock>
[[nodiscard]] chunk_outcome send_chunk(session::session& session, std::uint64_t id,
                                       session::value& body, std::optional<failure>& why,
                                       Clock now) {
    const std::size_t n = body.size();
    if (auto over = over_window(session, id, n)) {
        why = std::move(over);
    } else if (!session.can_send(id, n)) {
        return session.is_full(n, true) ? chunk_outcome::crowded : chunk_outcome::ungranted;
    } else {
        const auto sent = session.chunk(id, false, false, std::move(body), now());
        if (sent) {
            return chunk_outcome::sent;
        }
        why = refusal_of(sent.error(), session);
    }
    why->acted = true;
    return chunk_outcome::refused;
}

/// Whether the peer has sent nothing but Hello and Error.
[[nodiscard]] inline bool is_silent(const session::statistics& counters) noexcept {
    return std::all_of(frame_types.begin(), frame_types.end(), [&](frame_type type) {
        return type == frame_type::hello || type == frame_type::error ||
               counters.in(type).frames == 0;
    });
}

/// Why nobody waits for the answer of a request any more.
[[nodiscard]] inline session::kind kind_of(session::reason why) noexcept {
    return why == session::reason::deadline ? session::kind::deadline_exceeded
           : why == session::reason::credit ? session::kind::stream_credit
           : why == session::reason::end    ? session::kind::lost
           : why == session::reason::memory ? session::kind::limit_connection_bytes
                                            : session::kind::cancelled;
}

/// A failure; without a text it gets the text of its connection's end, or of the limit that its
/// connection exceeded.
[[nodiscard]] inline failure ending_of(failure why, const std::string& text,
                                       const std::string& overrun) {
    if (why.text.empty() && why.name == to_string(session::kind::lost)) {
        why.text = text;
    }
    if (why.text.empty() && why.name == to_string(session::kind::limit_connection_bytes)) {
        why.text = overrun;
    }
    return why;
}

/// A failure by which somebody may have acted on the request.
[[nodiscard]] inline failure acted(failure why) {
    why.acted = true;
    return why;
}

/// Answers a request with a failure. Details and texts are left out that the peer doesn't take.
inline void fail(session::session& session, std::uint64_t id, const failure& why,
                 std::uint64_t now) {
    const std::string name = bounded(why.name, name_max);
    const std::string text = bounded(why.text, session::failure_text_bytes);
    session::refusal said{why.status, !why.acted, name, text, why.details};
    const auto is_too_large = [&] {
        const auto sent = session.fail(id, said, now);
        return !sent && sent.error() == session::kind::payload_too_large;
    };
    if (is_too_large()) {
        said.details = {};
        if (is_too_large()) {
            said.text = {};
            if (is_too_large()) {
                static_cast<void>(session.release(id, now));
            }
        }
    }
}

/// The failure for a peer that is not let in; none of its requests has been read.
[[nodiscard]] inline failure not_admitted(failure why) {
    if (why.status == session::status::Unknown || why.status == session::status::Ok) {
        why.status = session::status::PermissionDenied;
    }
    why.name = why.name.empty() ? "not_admitted" : bounded(why.name, name_max);
    why.text = bounded(why.text, session::failure_text_bytes);
    return refused(std::move(why));
}

}  // namespace mxp::engine

#endif  // MXP_ENGINE_ENDING_HPP
