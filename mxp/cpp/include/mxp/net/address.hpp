/// Where a peer is.
#ifndef MXP_NET_ADDRESS_HPP
#define MXP_NET_ADDRESS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mxp::net {

/// An address, as `mxp+unix:///path`, `mxp+shm:///path`, `mxp+pipe://name`, `mxp+tcp://host:port`,
/// `mxp+tls://host:port`, `mxp+ws://host:port/path` or `mxp+wss://host:port/path` says it.
struct address {
    /// The scheme of its transport: `unix`, `shm`, `pipe`, `tcp`, `tls`, `ws`, `wss`, or that of
    /// one that was registered.
    std::string scheme{};
    /// The path, which begins with a slash, or the name of a pipe. Host and port are empty where
    /// that is all.
    std::string path{};
    std::string host{};
    std::string port{};
};

/// The form of a transport's addresses, behind `://`.
enum class address_form : std::uint8_t { path, host_and_port, host_port_and_path, name };

/// The address as a text.
[[nodiscard]] std::string to_string(const address& address);

/// Reads an address; there is none if the text is none.
[[nodiscard]] std::optional<address> parse_address(std::string_view text);

/// The address of a program's own node [MESH-1.3]: the given text, or the environment's `MXP_MESH`,
/// or the socket in `XDG_RUNTIME_DIR`, or in `/run`; on Windows, the pipe `sdp-mesh`.
[[nodiscard]] std::string node_address(std::string_view text = {});

/// Why a text is no address.
[[nodiscard]] std::string no_address_text(std::string_view text);

}  // namespace mxp::net

#endif  // MXP_NET_ADDRESS_HPP
