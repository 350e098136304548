/// Declarations that the parts of mxp_demo share.
#ifndef MXP_DEMO_HPP
#define MXP_DEMO_HPP

#include <asio/ssl/context.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxp/net/request.hpp"

namespace demo {

inline constexpr std::string_view service = "demo.Echo";

// The methods of demo.Echo.

/// A call: gives the value back.
inline constexpr std::uint16_t echo = 1;
/// A call: fails with the value as text.
inline constexpr std::uint16_t refuse = 2;
/// A stream: gives each chunk back in upper case.
inline constexpr std::uint16_t upper = 3;
/// An event: is counted.
inline constexpr std::uint16_t tick = 4;
/// A call: how many events there were, as 8 bytes.
inline constexpr std::uint16_t count = 5;

[[nodiscard]] inline std::string text_of(mxp::bytes_view from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

/// The TLS of a server, by the files that MXP_DEMO_CERTIFICATE and MXP_DEMO_KEY name;
/// nullptr without them.
asio::ssl::context* server_tls();

/// The TLS of a client, by the authority that MXP_DEMO_AUTHORITY names.
asio::ssl::context* client_tls();

/// Serves an address until the program is told to end. Its connections may take so many bytes of
/// memory together; 0 is the library's default. The result is the program's.
int serve(std::string_view address, std::size_t memory_bytes);

/// Asks `call`, `stream` or `event` of the address that comes first.
int ask(std::string_view command, const std::vector<std::string>& words);

/// Calls echo from so many callers, with so many bytes, until the program is told to end, and
/// prints what became of the calls. With chunks of so many bytes, a stream of them goes beside the
/// calls, and each caller calls once in a millisecond.
int load(const std::string& address, const std::vector<std::string>& words);

/// Runs the lines of the standard input, all at once. A line is a number, an address, and the
/// actions of one client there, in turn, with " ; " between:
///
///     call METHOD VALUE MS          a call whose deadline is MS
///     calls COUNT METHOD VALUE MS   so many at once
///     cancel METHOD VALUE MS        a call that is given up after MS
///     stream MS VALUE...            sends values, and reads to the end
///     read MS COUNT PAUSE_MS        reads COUNT chunks of a stream after a pause, and lets go of
///     it event VALUE MS                an event that is acknowledged post VALUE one that is not
///     wait MS
///
/// `x*500` is a value of 500 bytes. Each result is a line: the number, and "answered", "chunk",
/// "ended", "acked" or "sent" with the length of a value and its first bytes, or "failed" with a
/// name, whether the server may have acted, and a text; "closed" is the last.
int run_scripts();

/// Calls echo with each word, from a loop of poll(2) that is not Asio's.
int poll_loop(const std::string& address, const std::vector<std::string>& words);

}  // namespace demo

#endif  // MXP_DEMO_HPP
