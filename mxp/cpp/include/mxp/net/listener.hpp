/// The listening of a server, and the steps before it serves.
#ifndef MXP_NET_LISTENER_HPP
#define MXP_NET_LISTENER_HPP

#include <asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "request_parts.hpp"
#include "server_state.hpp"

namespace mxp::net {

inline attempt<std::string> server::state::listen(std::string_view text) {
    const auto invalid = std::make_error_code(std::errc::invalid_argument);
    if (const auto wrong = detail::wrong_options(options)) {
        return failed_attempt{{invalid, *wrong}};
    }
    const auto at = parse_address(text);
    if (!at) {
        return failed_attempt{{invalid, no_address_text(text)}};
    }
    const auto by = detail::transports::registered().find(at->scheme);
    auto made = by->listen(
        context, *at, options,
        [self = shared_from_this(), protects = by->protects()](std::unique_ptr<byte_stream> bytes) {
            self->open(std::move(bytes), protects);
        });
    if (!made) {
        return failed_attempt{made.error()};
    }
    const std::lock_guard<std::mutex> lock{mutex};
    if (is_closed) {
        made->close();
    } else {
        listeners.push_back(std::move(made->close));
    }
    return std::move(made->address);
}

/// Does the steps before MXP, such as the handshake of TLS, for which there is as much time as for
/// a Hello.
inline void server::state::open(const std::shared_ptr<byte_stream>& bytes, protection protection) {
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (is_closed || connections.size() + channels.size() + opening >= options.connections) {
            bytes->close();
            return;
        }
        ++opening;
    }
    const auto turns = std::make_shared<detail::strand>(context);
    const auto most = std::make_shared<asio::steady_timer>(context);
    const auto is_over = std::make_shared<bool>(false);
    turns->run([=, self = shared_from_this()] {
        bytes->open([=](const std::optional<failure>& why) {
            turns->run([=] {
                *is_over = true;
                most->cancel();
                {
                    const std::lock_guard<std::mutex> lock{self->mutex};
                    --self->opening;
                }
                if (!why) {
                    self->serve(bytes, protection, turns);
                }
            });
        });
        if (*is_over) {
            return;
        }
        most->expires_after(
            std::chrono::microseconds{static_cast<std::int64_t>(self->options.limits.hello_us)});
        most->async_wait([=](const std::error_code& failed) {
            if (!failed) {
                turns->run([=] {
                    if (!*is_over) {
                        bytes->close();
                    }
                });
            }
        });
    });
}

}  // namespace mxp::net

#endif  // MXP_NET_LISTENER_HPP
