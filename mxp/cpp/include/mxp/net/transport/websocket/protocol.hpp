/// Names and sizes that both sides of a WebSocket have.
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_PROTOCOL_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_PROTOCOL_HPP

#include <chrono>
#include <cstddef>
#include <string_view>

#include "authority.hpp"

namespace mxp::net::detail::ws {

/// The subprotocol of connections of MXP [MXP-19.2].
inline constexpr std::string_view protocol = "mxp.1";
/// The beginning of the subprotocol that is a token [MXP-19.5].
inline constexpr std::string_view token_prefix = "mxp.token.";
inline constexpr std::size_t token_bytes = 256;

/// How much goes into one message: what is written together.
inline constexpr std::size_t message_bytes = std::size_t{16} << 10;
/// How much is read at once of a message.
inline constexpr std::size_t room_bytes = std::size_t{16} << 10;
/// How much of a handshake is read, and how much of that at once: no more than the library has room
/// for behind a head, where there are frames already.
inline constexpr std::size_t head_bytes = std::size_t{16} << 10;
inline constexpr std::size_t head_at_once = 512;
/// How many bytes of an answer's text a failure has.
inline constexpr std::size_t text_bytes = 256;

/// The time that a side waits for the other's end [MXP-19.4].
inline constexpr std::chrono::seconds close_time{5};

/// Whether a text can be a token, or is none.
[[nodiscard]] inline bool can_be_token(std::string_view text) {
    return text.size() <= token_bytes && std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) || c == '-' || c == '_';
           });
}
inline constexpr std::string_view no_token = "the token is not 1 to 256 letters, digits, - and _";

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_PROTOCOL_HPP
