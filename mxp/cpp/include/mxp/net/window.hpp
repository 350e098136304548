/// The window of streams.
#ifndef MXP_NET_WINDOW_HPP
#define MXP_NET_WINDOW_HPP

#include <cstdint>

namespace mxp::net::detail {

/// How many chunks may be on their way to the reader of a stream; most often the bytes are the
/// bound. Empty ones that came alone count 64 bytes each where nobody takes them [MXP-15.2]: 1 MiB
/// together.
inline constexpr std::uint32_t window_messages = 16384;

}  // namespace mxp::net::detail

#endif  // MXP_NET_WINDOW_HPP
