/// An effect that a host finds in the mesh.
///
///     mesh-effect plugin NAME ADDRESS
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <iostream>
#include <memory>

#include "mxp/agents.hpp"
#include "mxp/events.hpp"
#include "rack_service.hpp"

namespace {

namespace net = mxp::net;

/// Makes blocks half as loud.
class half final : public rack::EffectServer {
   public:
    explicit half(std::string name) : name_(std::move(name)) {}

    void process(const net::request& /*request*/, rack::Block block,
                 net::replier<rack::Block> replier) override {
        for (float& sample : block.samples) {
            sample /= 2;
        }
        block.effect = name_;
        ++blocks_;
        replier.respond(block);
    }

    /// The blocks that were processed.
    [[nodiscard]] rack::Work work() const {
        rack::Work made;
        made.effect = name_;
        made.blocks = blocks_;
        return made;
    }

   private:
    std::string name_;
    std::uint64_t blocks_ = 0;
};

/// Publishes twice a second what an effect has done.
void tell(const half& of, const rack::MeterClient& to, asio::steady_timer& timer) {
    timer.expires_after(std::chrono::milliseconds{500});
    timer.async_wait([&](const std::error_code& failed) {
        if (!failed) {
            to.worked(of.work());
            tell(of, to, timer);
        }
    });
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) {
        std::cerr << "usage: mesh-effect plugin NAME ADDRESS\n";
        return 1;
    }
    const std::string name = words[2];
    const std::string address = words[3];
    asio::io_context io;
    net::services services;
    const auto effect = std::make_shared<half>(name);
    rack::EffectService::serve(services, effect);
    net::server server{io, std::move(services)};
    if (const auto listens = server.listen(address); !listens) {
        std::cerr << "mesh-effect: " << listens.error().text << '\n';
        return 1;
    }
    mxp::registry::Registration asked;
    asked.name = name;
    asked.capabilities = {"effect"};
    asked.services = {"rack.Effect"};
    asked.addresses = {address};
    const net::announcement announced{io, asked};
    net::publisher publisher{io};
    const rack::MeterClient meter{publisher};
    asio::steady_timer timer{io};
    tell(*effect, meter, timer);
    asio::signal_set signals{io, SIGINT, SIGTERM};
    signals.async_wait([&](const std::error_code&, int) { io.stop(); });
    io.run();
    return 0;
}
