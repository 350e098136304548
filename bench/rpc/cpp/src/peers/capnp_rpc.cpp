// Cap'n Proto's calls, on the event loop of its own library.
#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <memory>
#include <utility>
#include <vector>

#include "../calls.hpp"
#include "../peers.hpp"
#include "echo.capnp.h"

namespace rpcbench::capnp_rpc {

namespace {

class serving final : public Echo::Server {
   protected:
    kj::Promise<void> call(CallContext context) override {
        const auto data = context.getParams().getPayload().getData();
        context.getResults().initPayload().setData(data);
        return kj::READY_NOW;
    }
};

/// As the library's own addresses are: of a unix socket or of TCP.
[[nodiscard]] kj::Own<kj::NetworkAddress> address_of(kj::AsyncIoContext& io, const address& at) {
    const std::string text = at.is_unix() ? at.text() : at.place;
    return io.provider->getNetwork().parseAddress(text.c_str()).wait(io.waitScope);
}

/// Runs the event loop until it is stopped.
struct kj_loop {
    kj::AsyncIoContext io = kj::setupAsyncIo();
    kj::Own<kj::PromiseFulfiller<void>> end{};

    void run() {
        auto made = kj::newPromiseAndFulfiller<void>();
        end = kj::mv(made.fulfiller);
        if (has_stopped) {
            end->fulfill();
        }
        has_stopped = false;
        made.promise.wait(io.waitScope);
    }
    void stop() {
        if (end.get() == nullptr || !end->isWaiting()) {
            has_stopped = true;
        } else {
            end->fulfill();
        }
    }
    void fail(kj::Exception&& why) { end->reject(kj::mv(why)); }

    bool has_stopped = false;
};

struct connection {
    connection(kj_loop& loop, const address& at)
        : stream(address_of(loop.io, at)->connect().wait(loop.io.waitScope)),
          client(*stream),
          echo(client.bootstrap().castAs<Echo>()) {}

    kj::Own<kj::AsyncIoStream> stream;
    capnp::TwoPartyClient client;
    Echo::Client echo;
};

struct caller {
    kj_loop* loop;
    std::shared_ptr<connection> by;

    template <class Done>
    void call(const payload& what, Done done) {
        auto request = by->echo.callRequest();
        const auto* const from = reinterpret_cast<const capnp::byte*>(what.bytes.data());
        request.initPayload().setData(capnp::Data::Reader{from, what.bytes.size()});
        request.send()
            .then([done](capnp::Response<Echo::CallResults>&& reply) {
                const auto data = reply.getPayload().getData();
                done(data.begin(), data.size());
            })
            .detach([to = loop](kj::Exception&& why) { to->fail(kj::mv(why)); });
    }
};

}  // namespace

void serve(const address& at) {
    kj::AsyncIoContext io = kj::setupAsyncIo();
    auto listening = address_of(io, at)->listen();
    capnp::TwoPartyServer server{kj::heap<serving>()};
    ready(at.is_unix() ? at : address{"tcp:127.0.0.1:" + std::to_string(listening->getPort())});
    server.listen(*listening).wait(io.waitScope);
}

record call(const address& at, const plan& of) {
    if (of.what != kind::call) {
        no_such_kind(of);
    }
    kj_loop loop;
    std::vector<caller> callers;
    for (std::size_t i = 0; i < of.connections; ++i) {
        callers.resize(callers.size() + of.in_flight,
                       caller{&loop, std::make_shared<connection>(loop, at)});
    }
    return run_calls(of, callers, loop);
}

}  // namespace rpcbench::capnp_rpc
