/// An effect that a host finds in the mesh.
///
///     mesh-effect plugin NAME ADDRESS
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <iostream>
#include <memory>

#include "mxp/agents.hpp"
#include "rack_service.hpp"

namespace {

namespace net = mxp::net;

/// Makes blocks half as loud.
class half final : public rack::EffectServer {
   public:
    explicit half(std::string name) : name_(std::move(name)) {}

    void process(const net::request& /*asked*/, rack::Block block,
                 net::replier<rack::Block> to) override {
        for (float& sample : block.samples) {
            sample /= 2;
        }
        block.effect = name_;
        to.respond(block);
    }

   private:
    std::string name_;
};

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
    rack::EffectService::serve(services, std::make_shared<half>(name));
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
    asio::signal_set signals{io, SIGINT, SIGTERM};
    signals.async_wait([&](const std::error_code&, int) { io.stop(); });
    io.run();
    return 0;
}
