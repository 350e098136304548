/// A peer of WebSocket that writes what it likes, byte by byte.
#ifndef MXP_TESTS_NET_WEBSOCKET_PEER_HPP
#define MXP_TESTS_NET_WEBSOCKET_PEER_HPP

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../raw_socket.hpp"
#include "../running.hpp"
#include "mxp/net/websocket.hpp"
#include "mxp/session.hpp"

namespace websocket_tests {

namespace net = mxp::net;
namespace ms = mxp::session;
using running::bytes;
using namespace std::chrono_literals;

[[nodiscard]] inline bytes bytes_of(std::string_view text) {
    bytes made(text.size());
    std::transform(text.begin(), text.end(), made.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
    return made;
}

/// Whether addresses of WebSocket are known, from the program's beginning on.
inline const bool is_known = [] {
    net::register_websocket();
    return true;
}();

/// Server's options for WebSocket.
[[nodiscard]] inline net::server_options doors(net::websocket_options of) {
    net::server_options made;
    made.websocket = std::make_shared<const net::websocket_options>(std::move(of));
    return made;
}
/// Client's options that show a token.
[[nodiscard]] inline net::client_options showing(const std::string& token) {
    net::websocket_options of;
    of.token = token;
    net::client_options made;
    made.websocket = std::make_shared<const net::websocket_options>(std::move(of));
    return made;
}

/// A server on a thread of its own, which listens for WebSockets, too.
class served : public running::in_thread {
   public:
    explicit served(const net::server_options& how = {}, const std::string& path = "/")
        : in_thread(how), at(ask([path](net::server& of, running::seen&) {
              return of.listen("mxp+ws://127.0.0.1:0" + path).value();
          })) {}

    /// Whether soon so many connections are there.
    [[nodiscard]] bool has(std::size_t n) {
        for (int i = 0; i < 2'000; ++i) {
            if (connections() == n) {
                return true;
            }
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

    std::string at;
};

/// The host and the port of an address.
[[nodiscard]] inline std::string authority(const std::string& at) {
    const std::size_t from = at.find("://") + 3;
    return at.substr(from, at.find('/', from) - from);
}

/// All that came until enough had, or the connection ended.
struct came {
    std::size_t messages = 0;
    std::size_t longest = 0;
    std::vector<bytes> replies{};
    bool drains = false;
    bool has_pong = false;
    bool is_over = false;
    std::optional<int> end{};
};

/// The line of a handshake's key.
inline constexpr const char* usual_key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

enum : unsigned { goes_on = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

class peer {
   public:
    explicit peer(const std::string& at)
        : socket_(running::raw_socket::connected(at)), session_(limitless(), ms::role::opener, 0) {}
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    /// Asks for a WebSocket with some headers, and says how it is answered.
    int handshake(const std::string& path, const std::string& headers,
                  const std::string& key = usual_key) {
        raw(bytes_of("GET " + path +
                     " HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                     "Sec-WebSocket-Version: 13\r\n" +
                     key + headers + "\r\n"));
        return answer();
    }
    int answer() {
        head.clear();
        while (head.size() < 4 || head.compare(head.size() - 4, 4, "\r\n\r\n") != 0) {
            if (!fill(1)) {
                return 0;
            }
            head += static_cast<char>(come_[0]);
            come_.erase(come_.begin());
        }
        return std::atoi(head.c_str() + head.find(' '));
    }
    /// Shakes hands as a program does, and then says Hello.
    peer& opened() {
        EXPECT_EQ(handshake("/", "Host: 127.0.0.1\r\nSec-WebSocket-Protocol: mxp.1\r\n"), 101)
            << head;
        return *this;
    }
    peer& greeted() {
        opened();
        send(binary, made());
        static_cast<void>(read([&](const came&) { return session_.ready(); }));
        return *this;
    }

    /// Writes bytes; false if that takes too long, or they can't be.
    bool raw(const bytes& all) { return socket_.send(all); }
    /// Writes the header of a frame, with a mask of zeros, which changes nothing.
    bool begin(unsigned kind, std::uint64_t size, bool is_final = true) {
        bytes made{std::byte(kind | (is_final ? 0x80U : 0U))};
        const unsigned width = size < 126 ? 0 : size < 65'536 ? 2 : 8;
        made.push_back(std::byte(0x80U | (width == 0 ? size : width == 2 ? 126U : 127U)));
        for (unsigned i = width; i > 0; --i) {
            made.push_back(std::byte(size >> (8 * (i - 1)) & 0xFFU));
        }
        made.resize(made.size() + 4);
        return raw(made);
    }
    bool send(unsigned kind, const bytes& what, bool is_final = true) {
        return begin(kind, what.size(), is_final) && raw(what);
    }

    /// All that the session has to send.
    bytes made() {
        bytes joined;
        ms::batch all;
        session_.poll_batch(all, 0);
        all.each([&](mxp::bytes_view piece) {
            joined.insert(joined.end(), piece.begin(), piece.end());
        });
        return joined;
    }
    bytes call(const bytes& value) {
        EXPECT_TRUE(session_.call({0, 1, 0, {}, {}}, value, 0));
        return made();
    }
    ms::session& session() { return session_; }

    /// Reads until enough has come.
    template <class Enough>
    came read(Enough is_enough) {
        came all;
        while (!is_enough(all) && !all.is_over) {
            all.is_over = !frame(all);
        }
        return all;
    }
    /// Reads to the end.
    came rest() {
        return read([](const came&) { return false; });
    }

    std::string head;

   private:
    static ms::config limitless() {
        ms::config made;
        made.services = {"demo.Echo"};
        made.limits.in_flight = 1U << 30;
        made.limits.in_flight_bytes = 1U << 30;
        made.limits.queue_bytes = 1U << 30;
        made.limits.bulk_bytes = 1U << 30;
        made.limits.ping_us = 0;
        return made;
    }

    bool fill(std::size_t n) {
        while (come_.size() < n) {
            bytes room(65'536);
            const std::size_t got = socket_.read(room, 20s);
            if (got == 0) {
                return false;
            }
            come_.insert(come_.end(), room.begin(),
                         room.begin() + static_cast<std::ptrdiff_t>(got));
        }
        return true;
    }
    bytes take(std::size_t n) {
        const auto end = come_.begin() + static_cast<std::ptrdiff_t>(n);
        bytes taken(come_.begin(), end);
        come_.erase(come_.begin(), end);
        return taken;
    }
    bool frame(came& all) {
        if (!fill(2)) {
            return false;
        }
        const bytes header = take(2);
        const auto kind = std::to_integer<unsigned>(header[0]);
        std::size_t size = std::to_integer<std::size_t>(header[1]);
        EXPECT_EQ(kind & 0xF0U, 0x80U) << "a message in several frames, or with an extension";
        EXPECT_LT(size, 128U) << "a mask of a server";
        if (const std::size_t width = size < 126 ? 0 : size == 126 ? 2 : 8) {
            if (!fill(width)) {
                return false;
            }
            size = 0;
            for (const std::byte one : take(width)) {
                size = size << 8U | std::to_integer<std::size_t>(one);
            }
        }
        if (!fill(size)) {
            return false;
        }
        const bytes of = take(size);
        if ((kind & 15U) == binary) {
            ++all.messages;
            all.longest = std::max(all.longest, size);
            hear(of, all);
        } else if ((kind & 15U) == close) {
            all.end =
                size < 2 ? 0 : std::to_integer<int>(of[0]) * 256 + std::to_integer<int>(of[1]);
        } else {
            all.has_pong = (kind & 15U) == pong;
        }
        return true;
    }
    void hear(mxp::bytes_view of, came& all) {
        while (const auto one = session_.receive(of, 0)) {
            if (const auto* answered = std::get_if<ms::in::response>(&*one)) {
                all.replies.emplace_back(answered->value.begin(), answered->value.end());
            }
            all.drains = all.drains || std::holds_alternative<ms::in::draining>(*one);
        }
    }

    running::raw_socket socket_;
    bytes come_{};
    ms::session session_;
};

}  // namespace websocket_tests

#endif  // MXP_TESTS_NET_WEBSOCKET_PEER_HPP
