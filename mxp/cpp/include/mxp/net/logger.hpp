/// The log of a client.
#ifndef MXP_NET_LOGGER_HPP
#define MXP_NET_LOGGER_HPP

#include <cstdint>
#include <functional>
#include <string_view>

namespace mxp::net {

/// How serious a line of the log is.
enum class severity : std::uint8_t { info, warning, error };

/// Is told, a line at a time, that a client has connected, of what methods its schema differs from
/// the server's, that its connection is lost, and that it can't connect: once, not for each
/// attempt. The thread that runs the client calls it.
using logger = std::function<void(severity, std::string_view)>;

}  // namespace mxp::net

#endif  // MXP_NET_LOGGER_HPP
