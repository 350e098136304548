#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "mxp/net/channel.hpp"
#include "processor.hpp"

namespace plug {

namespace {

namespace net = mxp::net;
using namespace std::chrono_literals;
using Methods = processor::PluginService::Methods;
using link = net::channel<processor::Block, processor::Block>;

/// The time in which a host has to open its channel.
constexpr auto patience = 10s;

/// The calls of a host. One thread answers them.
class desk final : public processor::PluginServer {
   public:
    explicit desk(audio_processor& plugin) : plugin_(plugin) {}

    void prepare(const net::request& /*request*/, processor::Device value,
                 net::replier<processor::Description> replier) override {
        plugin_.prepare(value.rate);
        replier.respond(plugin_.description());
    }

    void change(const net::request& /*request*/, processor::Setting value,
                net::replier<processor::Setting> replier) override {
        if (!apply(value)) {
            net::failure why;
            why.status = mxp::session::status::NotFound;
            why.name = "no_such_parameter";
            replier.fail(net::refused(why));
            return;
        }
        replier.respond(value);
    }

    void save(const net::request& /*request*/, processor::Nothing /*value*/,
              net::replier<processor::State> replier) override {
        processor::State state;
        for (const auto& parameter : plugin_.description().parameters) {
            const auto index = static_cast<std::uint32_t>(state.settings.size());
            state.settings.push_back({index, parameter.value});
        }
        replier.respond(state);
    }

    void restore(const net::request& /*request*/, processor::State value,
                 net::replier<processor::Nothing> replier) override {
        for (auto& setting : value.settings) {
            apply(setting);  // a parameter of another release is left out
        }
        replier.respond({});
    }

   private:
    /// Changes a parameter, unless there is none, and leaves the value that it
    /// has then.
    bool apply(processor::Setting& setting) {
        const auto all = plugin_.description().parameters;
        if (setting.index >= all.size()) {
            return false;
        }
        const auto& parameter = all[setting.index];
        // A value that is no number is the least.
        const bool is_number = setting.value == setting.value;
        setting.value = is_number ? std::clamp(setting.value, parameter.least, parameter.greatest)
                                  : parameter.least;
        plugin_.change(setting.index, setting.value);
        return true;
    }

    audio_processor& plugin_;
};

/// Processes blocks as they come, until the host is gone.
void process(link& host, audio_processor& plugin) {
    processor::Block block;
    for (;;) {
        switch (host.receiver.receive(block)) {
        case net::receive_status::received:
            plugin.process(block);
            // A host that is behind has blocks enough: that there is no room is no
            // matter.
            static_cast<void>(host.sender.send(block));
            break;
        case net::receive_status::empty:
            // A wait looks after the socket, too, and so finds out that a host was
            // killed.
            static_cast<void>(host.receiver.wait(1s));
            break;
        case net::receive_status::closed:
            return;
        }
    }
}

}  // namespace

int serve(const std::string& address, audio_processor& plugin) {
    asio::io_context context{1};
    net::services all;
    processor::PluginService::serve(all, std::make_shared<desk>(plugin));
    std::thread processing;
    asio::steady_timer late{context, patience};
    const auto channels = std::make_shared<net::channels>();
    channels->add(Methods::process, {}, [&](link opened, const net::peer& /*host*/) {
        if (processing.joinable()) {
            return;  // there is one host, whose channel goes on
        }
        late.cancel();
        processing = std::thread{[&, host = std::move(opened)]() mutable {
            process(host, plugin);
            context.stop();
        }};
    });
    net::server_options how;
    how.channels = channels;
    net::server server{context, std::move(all), how};
    if (const auto at = server.listen(address); !at) {
        std::cerr << "plug-in: " << at.error().text << ": " << at.error().code.message() << "\n";
        return 1;
    }
    late.async_wait([&](const std::error_code& cancelled) {
        if (!cancelled) {
            std::cerr << "plug-in: no host comes\n";
            context.stop();
        }
    });
    context.run();
    if (!processing.joinable()) {
        return 1;
    }
    processing.join();
    return 0;
}

}  // namespace plug
