/// The parts that the programs of MXP share.
#ifndef RPCBENCH_PEERS_MXP_COMMON_HPP
#define RPCBENCH_PEERS_MXP_COMMON_HPP

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../asio_loop.hpp"
#include "../peers.hpp"
#include "bench_service.hpp"

namespace rpcbench {

/// An address as MXP writes it.
[[nodiscard]] inline std::string url_of(const address& at) {
    return "mxp+" + (at.spins() ? "shm" : at.way) + "://" + at.place;
}

/// Options of connections there. A process with one core looks for bytes where the other side has
/// another.
[[nodiscard]] inline ::mxp::net::shm_options memory_of(const address& at) {
    ::mxp::net::shm_options made;
    if (at.spins()) {
        made.spin = std::chrono::microseconds{20};
    }
    return made;
}

/// Options of a client or a server there.
template <class Options>
[[nodiscard]] Options options_of(const address& at) {
    Options made;
    made.shm = memory_of(at);
    return made;
}

inline void check(const ::mxp::net::failure* why) {
    if (why != nullptr) {
        throw flaw{to_string(*why)};
    }
}
inline void check(const std::optional<::mxp::net::failure>& why) { check(why ? &*why : nullptr); }

/// Why a value can't be decoded.
[[nodiscard]] inline ::mxp::net::failure refused(const sdp::error& why) {
    return ::mxp::net::failure_of(why, ::mxp::session::status::InvalidArgument, false);
}

/// Encodes a value.
[[nodiscard]] inline std::vector<std::byte> encoded(::mxp::bytes_view data) {
    return sdp::encode(bench::DataRef{data}).value();
}

/// Looks at a value that has come back.
inline void look(const payload& what, ::mxp::bytes_view value) {
    const auto data = sdp::decode<bench::DataRef>(value);
    if (!data) {
        throw flaw{data.error().message()};
    }
    what.look(data->data.data(), data->data.size());
}

/// The number of events that a server has counted.
[[nodiscard]] inline std::uint64_t told_by(asio_loop& loop, ::mxp::net::client& by) {
    std::uint64_t count = 0;
    by.call(bench::EchoService::Methods::told, ::mxp::bytes_view{}, {},
            [&](const ::mxp::net::answer& came) {
                check(came.failed);
                count = sdp::decode<bench::Count>(came.value).value().messages;
                loop.stop();
            });
    loop.run();
    return count;
}

/// Serves until the process ends.
inline void serve_mxp(asio::io_context& context, ::mxp::net::services all, const address& at) {
    ::mxp::net::server server{context, std::move(all), options_of<::mxp::net::server_options>(at)};
    const auto listening = server.listen(url_of(at));
    if (!listening) {
        throw flaw{listening.error().text};
    }
    // Behind mxp+tcp:// and the like, with the port that was given for port 0.
    ready(address{at.way + ":" + listening->substr(listening->find("://") + 3)});
    context.run();
}

/// Sends events, of which so many wait for being written at most, until all were counted at the
/// other end: `told` asks for the count, `send` sends so many `together`, or the last, and tells
/// when those are written.
template <class Told, class Send>
[[nodiscard]] std::uint64_t send_events(asio_loop& loop, until goes_on, Told told, Send send,
                                        std::size_t together = 1) {
    constexpr std::size_t waiting_most = 1024;
    constexpr std::chrono::seconds patience{5};
    const std::uint64_t before = told();
    std::uint64_t sent = 0;
    std::size_t waiting = 0;
    bool is_over = false;
    const auto more = [&](const auto& again) -> void {
        while (!is_over && waiting < waiting_most) {
            std::size_t n = 0;
            while (n < together && !is_over) {
                is_over = !goes_on.more();
                n += is_over ? 0U : 1U;
            }
            if (n == 0) {
                break;
            }
            sent += n;
            waiting += n;
            send(n, [&, n] {
                waiting -= n;
                if (is_over ? waiting == 0 : waiting == 0 || waiting == waiting_most / 2) {
                    again(again);
                }
            });
        }
        if (is_over && waiting == 0) {
            loop.stop();
        }
    };
    more(more);
    loop.run();
    const auto begun = steady::now();
    for (;;) {
        const std::uint64_t counted = told() - before;
        if (counted >= sent || steady::now() - begun > patience) {
            compare(sent, counted);
            return sent;
        }
    }
}

}  // namespace rpcbench

#endif  // RPCBENCH_PEERS_MXP_COMMON_HPP
