// MXP: the client and the server on Asio, with methods by number. Values are SDP's, which are read
// where they lie.
#include <asio/io_context.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "../asio_loop.hpp"
#include "../calls.hpp"
#include "../peers.hpp"
#include "mxp_common.hpp"

namespace rpcbench::mxp_bytes {

namespace {

namespace net = ::mxp::net;
using methods = bench::EchoService::Methods;
using ::mxp::bytes_view;

/// Decodes a value, and encodes it again.
[[nodiscard]] net::outcome<std::vector<std::byte>> again(bytes_view value) {
    const auto data = sdp::decode<bench::DataRef>(value);
    if (!data) {
        return net::failed_outcome{refused(data.error())};
    }
    return encoded(data->data);
}

void answer(const net::request& asked, const net::responder& to) {
    auto value = again(asked.value);
    if (value) {
        to.respond(std::move(*value));
    } else {
        to.fail(value.error());
    }
}

void count(const net::request& /*asked*/, const net::stream& from) {
    const auto messages = std::make_shared<std::uint64_t>(0);
    from.on_chunk([messages, from](bytes_view chunk) {
        if (const auto data = sdp::decode<bench::DataRef>(chunk)) {
            ++*messages;
        } else {
            from.fail(refused(data.error()));
        }
    });
    from.on_finish([messages, from] {
        from.send(sdp::encode(bench::Count{*messages}).value());
        from.finish();
    });
}

void give_back(const net::request& /*asked*/, const net::stream& with) {
    with.on_chunk([with](bytes_view chunk) {
        if (auto value = again(chunk)) {
            with.send(std::move(*value));
        } else {
            with.fail(value.error());
        }
    });
    with.on_finish([with] { with.finish(); });
}

}  // namespace

void serve(const address& at) {
    asio::io_context context{1};
    net::services all;
    std::uint64_t told = 0;
    all.service("bench.Echo")
        .call(methods::echo, answer)
        .stream(methods::up, net::flowing_handler{count})
        .stream(methods::both, net::flowing_handler{give_back})
        .event(methods::tell,
               [&told](const net::request& asked) -> std::optional<net::failure> {
                   if (const auto data = sdp::decode<bench::DataRef>(asked.value); !data) {
                       return refused(data.error());
                   }
                   ++told;
                   return std::nullopt;
               })
        .call(methods::told, [&told](const net::request&, const net::responder& to) {
            to.respond(sdp::encode(bench::Count{told}).value());
        });
    serve_mxp(context, std::move(all), at);
}

namespace {

/// A caller by a client, which others may use, too.
struct caller {
    std::shared_ptr<net::client> by;

    template <class Done>
    void call(const payload& what, Done done) {
        by->call(methods::echo, encoded(what.bytes), {}, [done](const net::answer& came) {
            check(came.failed);
            const auto data = sdp::decode<bench::DataRef>(came.value);
            if (!data) {
                throw flaw{data.error().message()};
            }
            done(data->data.data(), data->data.size());
        });
    }
};

/// Sends messages on a stream as the peer takes them, and then finishes.
class sending {
   public:
    sending(net::stream to, const payload& what, until goes_on)
        : to_(std::move(to)), what_(what), until_(goes_on) {}

    void run() {
        to_.on_sent([this] { more(); });
        more();
    }
    [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

   private:
    /// How many bytes wait before more are made.
    static constexpr std::size_t unsent_bytes = 65536;

    void more() {
        while (to_.unsent() < unsent_bytes) {
            if (!until_.more()) {
                to_.on_sent(nullptr);
                to_.finish();
                return;
            }
            to_.send(encoded(what_.bytes));
            ++sent_;
        }
    }

    net::stream to_;
    const payload& what_;
    until until_;
    std::uint64_t sent_ = 0;
};

[[nodiscard]] std::uint64_t up(asio_loop& loop, net::client& by, const payload& what,
                               until goes_on) {
    const net::stream stream = by.open(methods::up, bytes_view{}, {});
    sending work{stream, what, goes_on};
    std::uint64_t counted = 0;
    stream.on_chunk(
        [&](bytes_view chunk) { counted = sdp::decode<bench::Count>(chunk).value().messages; });
    stream.on_end([&](const net::failure* why) {
        check(why);
        loop.stop();
    });
    work.run();
    loop.run();
    compare(work.sent(), counted);
    return counted;
}

[[nodiscard]] std::uint64_t both(asio_loop& loop, net::client& by, const payload& what,
                                 until goes_on) {
    const net::stream stream = by.open(methods::both, bytes_view{}, {});
    sending work{stream, what, goes_on};
    std::uint64_t came = 0;
    stream.on_chunk([&](bytes_view chunk) {
        look(what, chunk);
        ++came;
    });
    stream.on_end([&](const net::failure* why) {
        check(why);
        loop.stop();
    });
    work.run();
    loop.run();
    compare(work.sent(), came);
    return 2 * came;
}

/// Sends events, a few at a time, until all were counted at the other end.
[[nodiscard]] std::uint64_t events(asio_loop& loop, net::client& by, const payload& what,
                                   until goes_on) {
    const auto told = [&] { return told_by(loop, by); };
    return send_events(loop, goes_on, told, [&](std::size_t, auto done) {
        by.event(methods::tell, encoded(what.bytes), {}, [done](const net::answer& came) {
            check(came.failed);
            done();
        });
    });
}

}  // namespace

record call(const address& at, const plan& of) {
    asio_loop loop;
    const auto connect = [&] {
        return std::make_shared<net::client>(loop.context, url_of(at),
                                             options_of<net::client_options>(at));
    };
    if (of.what == kind::call) {
        std::vector<caller> callers;
        for (std::size_t i = 0; i < of.connections; ++i) {
            callers.resize(callers.size() + of.in_flight, caller{connect()});
        }
        return run_calls(of, callers, loop);
    }
    const auto by = connect();
    const auto flow = of.what == kind::up ? up : of.what == kind::both ? both : events;
    return run_flow(
        of, [&](const payload& what, until goes_on) { return flow(loop, *by, what, goes_on); });
}

record call_blocking(const address& at, const plan& of) {
    if (of.what != kind::call) {
        no_such_kind(of);
    }
    net::blocking_client by{url_of(at), options_of<net::blocking_options>(at)};
    return run_blocking(of, [&](const payload& what) {
        const auto came = by.call(methods::echo, encoded(what.bytes));
        if (!came) {
            throw flaw{to_string(came.error())};
        }
        look(what, came->value);
    });
}

}  // namespace rpcbench::mxp_bytes
