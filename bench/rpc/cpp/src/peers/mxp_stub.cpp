// MXP by the stubs that SDP generates: a server that is a class, a client that is typed, values
// that are owned.
#include <asio/io_context.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "../asio_loop.hpp"
#include "../calls.hpp"
#include "../peers.hpp"
#include "mxp_common.hpp"

namespace rpcbench::mxp_stub {

namespace {

namespace net = ::mxp::net;
using bench::Count;
using bench::Data;
using bench::Nothing;

class serving final : public bench::EchoServer {
   public:
    void echo(const net::request& /*asked*/, Data value, net::replier<Data> to) override {
        to.respond(value);
    }
    void up(const net::request& /*asked*/, net::client_stream<Data, Count> from) override {
        const auto messages = std::make_shared<std::uint64_t>(0);
        from.on_value([messages](const Data&) { ++*messages; });
        from.on_finish([messages, from] { from.respond({*messages}); });
    }
    void both(const net::request& /*asked*/, net::bidi_stream<Data, Data> with) override {
        with.on_value([with](const Data& one) { with.send(one); });
        with.on_finish([with] { with.finish(); });
    }
    std::optional<net::failure> tell(const net::request& /*asked*/, Data /*event*/) override {
        ++told_;
        return std::nullopt;
    }
    void told(const net::request& /*asked*/, Nothing /*value*/, net::replier<Count> to) override {
        to.respond({told_});
    }

   private:
    std::uint64_t told_ = 0;
};

/// A client with its stub, and the value that it sends.
struct asking {
    asking(asio_loop& loop, const address& at, const payload& what)
        : by(loop.context, url_of(at), options()), stub(by), data{what.bytes} {}

    [[nodiscard]] static net::client_options options() {
        net::client_options made;
        made.types = bench::EchoService::types();
        return made;
    }

    net::client by;
    bench::EchoClient stub;
    Data data;
};

struct caller {
    std::shared_ptr<asking> of;

    template <class Done>
    void call(const payload& /*what*/, Done done) {
        of->stub.echo(of->data, [done](const net::outcome<Data>& came) {
            if (!came) {
                throw flaw{to_string(came.error())};
            }
            done(came->data.data(), came->data.size());
        });
    }
};

/// The messages of a stream, and how many there were.
struct messages {
    const Data& each;
    until goes_on;
    std::uint64_t sent = 0;

    std::optional<Data> next() {
        if (!goes_on.more()) {
            return std::nullopt;
        }
        ++sent;
        return each;
    }
};

[[nodiscard]] std::uint64_t up(asio_loop& loop, asking& of, const payload& /*what*/,
                               until goes_on) {
    messages all{of.data, goes_on};
    std::uint64_t counted = 0;
    const auto stream = of.stub.up([&](const net::outcome<Count>& came) {
        if (!came) {
            throw flaw{to_string(came.error())};
        }
        counted = came->messages;
        loop.stop();
    });
    stream.send_all([&] { return all.next(); });
    loop.run();
    compare(all.sent, counted);
    return counted;
}

[[nodiscard]] std::uint64_t both(asio_loop& loop, asking& of, const payload& what, until goes_on) {
    messages all{of.data, goes_on};
    std::uint64_t came = 0;
    const auto stream = of.stub.both();
    stream.on_value([&](const Data& one) {
        what.look(one.data.data(), one.data.size());
        ++came;
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

[[nodiscard]] std::uint64_t events(asio_loop& loop, asking& of, const payload& /*what*/,
                                   until goes_on) {
    const auto told = [&] {
        std::uint64_t count = 0;
        of.stub.told({}, [&](const net::outcome<Count>& came) {
            if (!came) {
                throw flaw{to_string(came.error())};
            }
            count = came->messages;
            loop.stop();
        });
        loop.run();
        return count;
    };
    return send_events(loop, goes_on, told, [&](std::size_t, auto done) {
        of.stub.tell(of.data, [done](const net::outcome<void>& came) {
            if (!came) {
                throw flaw{to_string(came.error())};
            }
            done();
        });
    });
}

}  // namespace

void serve(const address& at) {
    asio::io_context context{1};
    net::services all;
    bench::EchoService::serve(all, std::make_shared<serving>());
    serve_mxp(context, std::move(all), at);
}

record call(const address& at, const plan& of) {
    asio_loop loop;
    const payload what = payload::of(of.size);
    const auto connect = [&] { return std::make_shared<asking>(loop, at, what); };
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
        of, [&](const payload& each, until goes_on) { return flow(loop, *by, each, goes_on); });
}

}  // namespace rpcbench::mxp_stub
