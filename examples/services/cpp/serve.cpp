#include <array>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <iostream>

#include "desk.hpp"
#include "mixer_service.hpp"

namespace desk {

namespace {

namespace net = mxp::net;

net::failure refusal(mxp::session::status status, std::string name) {
    net::failure why;
    why.status = status;
    why.name = std::move(name);
    return net::refused(why);  // nobody has acted
}

/// A mixing desk. All of its methods are called by one thread.
class desk final : public mixer::MixerServer {
   public:
    void gain(const net::request& /*request*/, mixer::Gain value,
              net::replier<mixer::Gain> replier) override {
        if (!has(value.channel)) {
            replier.fail(no_such_channel());
            return;
        }
        replier.respond(get(value.channel));
    }

    void list(const net::request& /*request*/, mixer::Range channels,
              net::sender<mixer::Gain> sender) override {
        if (channels.first <= channels.last && !has(channels.last)) {
            sender.fail(no_such_channel());
            return;
        }
        // Asked for the next as fast as the peer takes them.
        sender.send_all([this, channels, next = channels.first]() mutable {
            return next <= channels.last ? std::optional{get(next++)} : std::nullopt;
        });
    }

    void fade(const net::request& /*request*/,
              net::client_stream<mixer::Gain, mixer::Gain> stream) override {
        const auto last = std::make_shared<mixer::Gain>();
        stream.on_value([this, last, stream](const mixer::Gain& step) {
            if (const auto failed = set(step)) {
                stream.fail(*failed);
            }
            *last = step;
        });
        stream.on_finish([last, stream] { stream.respond(*last); });
    }

    void ride(const net::request& /*request*/,
              net::bidi_stream<mixer::Gain, mixer::Gain> stream) override {
        stream.on_value([this, stream](const mixer::Gain& gain) {
            if (const auto failed = set(gain)) {
                stream.fail(*failed);
                return;
            }
            stream.send(gain);
            if (stream.unsent() > 65536) {
                stream.pause();  // who doesn't listen has to wait
            }
        });
        stream.on_sent([stream] { stream.resume(); });
        stream.on_finish([stream] { stream.finish(); });
    }

    std::optional<net::failure> muted(const net::request& /*request*/, mixer::Gain event) override {
        event.decibels = -96;
        return set(event);
    }

   private:
    static net::failure no_such_channel() {
        return refusal(mxp::session::status::NotFound, "no_such_channel");
    }

    [[nodiscard]] bool has(std::uint32_t channel) const { return channel < gains_.size(); }
    [[nodiscard]] mixer::Gain get(std::uint32_t channel) const {
        return {channel, gains_[channel]};
    }
    [[nodiscard]] std::optional<net::failure> set(const mixer::Gain& to) {
        if (!has(to.channel)) {
            return no_such_channel();
        }
        gains_[to.channel] = to.decibels;
        return std::nullopt;
    }

    std::array<float, 8> gains_{};
};

/// Lets nobody in who doesn't say who it is.
void guard(net::incoming_request& asked) {
    for (const auto& one : asked.request.metadata) {
        if (one.key() == "user") {
            return;
        }
    }
    asked.refuse(refusal(mxp::session::status::Unauthenticated, "who_are_you"));
}

}  // namespace

int serve(const std::string& address, const std::function<void(std::function<void()>)>& started) {
    asio::io_context context{1};
    net::services all;
    mixer::MixerService::serve(all, std::make_shared<desk>());
    all.intercept(guard);
    net::server server{context, std::move(all)};
    if (const auto at = server.listen(address); !at) {
        std::cerr << at.error().text << ": " << at.error().code.message() << "\n";
        return 1;
    }
    // Requests in flight may end.
    const auto end = [&] {
        server.drain("the server ends", std::chrono::seconds{5}, [&] { context.stop(); });
    };
    asio::signal_set signals{context, SIGINT, SIGTERM};
    signals.async_wait([&](const std::error_code& failed, int) {
        if (!failed) {
            end();
        }
    });
    if (started) {
        started([&] { asio::post(context, end); });
    }
    context.run();
    return 0;
}

}  // namespace desk
