// MXP for programs with many values at once: they are sent in one go, and taken as they have come,
// several at a time. Methods are by number, values are read where they lie.
#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../asio_loop.hpp"
#include "../calls.hpp"
#include "../peers.hpp"
#include "mxp_common.hpp"

namespace rpcbench::mxp_batch {

namespace {

namespace net = ::mxp::net;
using methods = bench::EchoService::Methods;
using ::mxp::bytes_view;
using several = sdp::span<const bytes_view>;

void count(const net::request& /*asked*/, const net::stream& from) {
    const auto messages = std::make_shared<std::uint64_t>(0);
    from.on_chunks([messages, from](several chunks) {
        for (const bytes_view chunk : chunks) {
            if (const auto data = sdp::decode<bench::DataRef>(chunk); !data) {
                from.fail(refused(data.error()));
                return;
            }
        }
        *messages += chunks.size();
    });
    from.on_finish([messages, from] {
        from.send(sdp::encode(bench::Count{*messages}).value());
        from.finish();
    });
}

/// Values that are encoded one behind the other.
struct encoded_again {
    std::vector<std::byte> bytes{};
    std::vector<std::size_t> ends{};
    std::vector<bytes_view> views{};

    void add(bytes_view data) {
        sdp::append(bench::DataRef{data}, bytes).value();
        ends.push_back(bytes.size());
    }
    [[nodiscard]] several all() {
        views.clear();
        std::size_t at = 0;
        for (const std::size_t end : ends) {
            views.emplace_back(bytes.data() + at, end - at);
            at = end;
        }
        return {views.data(), views.size()};
    }
    void clear() {
        bytes.clear();
        ends.clear();
    }
};

void give_back(const net::request& /*asked*/, const net::stream& with) {
    with.on_chunks([with, again = std::make_shared<encoded_again>()](several chunks) {
        again->clear();
        for (const bytes_view chunk : chunks) {
            const auto data = sdp::decode<bench::DataRef>(chunk);
            if (!data) {
                with.fail(refused(data.error()));
                return;
            }
            again->add(data->data);
        }
        with.send_batch(again->all());
    });
    with.on_finish([with] { with.finish(); });
}

}  // namespace

void serve(const address& at) {
    asio::io_context context{1};
    net::services all;
    std::uint64_t told = 0;
    all.service("bench.Echo")
        .stream(methods::up, net::flowing_handler{count})
        .stream(methods::both, net::flowing_handler{give_back})
        .events(methods::tell,
                [&told](const net::request&, several values) -> std::optional<net::failure> {
                    for (const bytes_view value : values) {
                        if (const auto data = sdp::decode<bench::DataRef>(value); !data) {
                            return refused(data.error());
                        }
                        ++told;
                    }
                    return std::nullopt;
                })
        .call(methods::told, [&told](const net::request&, const net::responder& to) {
            to.respond(sdp::encode(bench::Count{told}).value());
        });
    serve_mxp(context, std::move(all), at);
}

namespace {

/// The messages of a stream, each encoded into the memory of its predecessor where it is small.
struct messages {
    const payload& what;
    until goes_on;
    std::uint64_t sent = 0;
    std::vector<std::byte> scratch{};

    [[nodiscard]] std::optional<::mxp::session::value> next() {
        if (!goes_on.more()) {
            return std::nullopt;
        }
        ++sent;
        scratch.clear();
        sdp::append(bench::DataRef{what.bytes}, scratch).value();
        if (::mxp::session::value small{bytes_view{scratch}}; !small.is_large()) {
            return small;
        }
        return ::mxp::session::value{std::move(scratch)};
    }
};

[[nodiscard]] std::uint64_t up(asio_loop& loop, net::client& by, const payload& what,
                               until goes_on) {
    const net::stream stream = by.open(methods::up, bytes_view{}, {});
    messages all{what, goes_on};
    std::uint64_t counted = 0;
    stream.on_chunk(
        [&](bytes_view chunk) { counted = sdp::decode<bench::Count>(chunk).value().messages; });
    stream.on_end([&](const net::failure* why) {
        check(why);
        loop.stop();
    });
    stream.send_all([&] { return all.next(); });
    loop.run();
    compare(all.sent, counted);
    return counted;
}

[[nodiscard]] std::uint64_t both(asio_loop& loop, net::client& by, const payload& what,
                                 until goes_on) {
    const net::stream stream = by.open(methods::both, bytes_view{}, {});
    messages all{what, goes_on};
    std::uint64_t came = 0;
    stream.on_chunks([&](several chunks) {
        for (const bytes_view chunk : chunks) {
            look(what, chunk);
        }
        came += chunks.size();
    });
    stream.on_end([&](const net::failure* why) {
        check(why);
        loop.stop();
    });
    stream.send_all([&] { return all.next(); });
    loop.run();
    compare(all.sent, came);
    return 2 * came;
}

[[nodiscard]] std::uint64_t events(asio_loop& loop, net::client& by, const payload& what,
                                   until goes_on) {
    constexpr std::size_t together = 256;
    const bench::EchoClient stub{by};
    const auto told = [&] { return told_by(loop, by); };
    const auto data = bench::Data{{what.bytes.begin(), what.bytes.end()}};
    const auto tell = [&](std::size_t n, auto done) {
        const std::vector<std::reference_wrapper<const bench::Data>> all(n, data);
        stub.tell_all(all, [done](const net::outcome<void>& came) {
            check(came ? std::nullopt : std::optional{came.error()});
            done();
        });
    };
    return send_events(loop, goes_on, told, tell, together);
}

}  // namespace

record call(const address& at, const plan& of) {
    if (of.what == kind::call) {
        no_such_kind(of);
    }
    asio_loop loop;
    net::client by{loop.context, url_of(at)};
    const auto flow = of.what == kind::up ? up : of.what == kind::both ? both : events;
    return run_flow(
        of, [&](const payload& what, until goes_on) { return flow(loop, by, what, goes_on); });
}

}  // namespace rpcbench::mxp_batch
