/// The transports of WebSocket.
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_TRANSPORT_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_TRANSPORT_HPP

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "../../address.hpp"
#include "../../client_options.hpp"
#include "../../server_options.hpp"
#include "../../transport.hpp"
#include "../../websocket.hpp"
#include "admission.hpp"
#include "authority.hpp"
#include "handshake.hpp"
#include "messages.hpp"
#include "protocol.hpp"

namespace mxp::net::detail::ws {

/// WebSocket over another transport, whose addresses are a host and a port.
class websockets final : public transport {
   public:
    websockets(std::shared_ptr<transport> lower, std::string scheme)
        : below_(std::move(lower)), scheme_(std::move(scheme)) {}

    [[nodiscard]] address_form form() const override { return address_form::host_port_and_path; }
    [[nodiscard]] protection protects() const override { return below_->protects(); }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& options,
                                             dial_handler then) override {
        std::string token = known(options.websocket).token;
        if (!can_be_token(token)) {
            asio::post(io, [then = std::move(then)] {
                then(failed_outcome{unusable(std::string{no_token})});
            });
            return [] {};
        }
        return below_->dial(
            io, under(address), options,
            [&io, address, scheme = scheme_, token = std::move(token),
             then = std::move(then)](auto answer) {
                if (!answer) {
                    then(failed_outcome{answer.error()});
                    return;
                }
                net::peer who = named((*answer)->peer(), scheme);
                then(std::make_unique<message_stream>(
                    std::make_shared<client_socket>(io, std::move(*answer), authority_of(address),
                                                    escaped(address.path), token),
                    std::move(who)));
            });
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& options,
                                           accept_handler then) override {
        const websocket_options& by = known(options.websocket);
        if (!can_be_token(by.token)) {
            return failed_attempt{
                {std::make_error_code(std::errc::invalid_argument), std::string{no_token}}};
        }
        for (const std::string& host : by.hosts) {
            if (host.empty() || bare(host) != host) {
                return failed_attempt{{std::make_error_code(std::errc::invalid_argument),
                                       "\"" + host + "\" is no host without port and brackets"}};
            }
        }
        auto made = below_->listen(
            io, under(address), options,
            [&io, scheme = scheme_,
             rules = std::make_shared<const admission>(address.path, by, options.logger),
             then = std::move(then)](std::unique_ptr<byte_stream> bytes) {
                net::peer who = named(bytes->peer(), scheme);
                then(std::make_unique<message_stream>(
                    std::make_shared<server_socket>(io, std::move(bytes), rules), std::move(who)));
            });
        if (made) {
            made->address = with_scheme(made->address, scheme_) + address.path;
        }
        return made;
    }

   private:
    [[nodiscard]] static const websocket_options&
    known(const std::shared_ptr<const websocket_options>& options) {
        static const websocket_options usual;
        return options == nullptr ? usual : *options;
    }
    /// The address below.
    [[nodiscard]] static address under(const address& address) {
        return {{}, {}, address.host, address.port};
    }
    /// The host and the port, as an address has them.
    [[nodiscard]] static std::string authority_of(const address& address) {
        const std::string text = to_string(under(address));
        return text.substr(text.find("://") + 3);
    }
    [[nodiscard]] static std::string with_scheme(const std::string& text,
                                                 const std::string& scheme) {
        const std::size_t end = text.find("://");
        return end == text.npos ? text : "mxp+" + scheme + text.substr(end);
    }
    [[nodiscard]] static net::peer named(net::peer peer, const std::string& scheme) {
        peer.transport = scheme;
        peer.address = with_scheme(peer.address, scheme);
        return peer;
    }

    std::shared_ptr<transport> below_;
    std::string scheme_;
};

}  // namespace mxp::net::detail::ws

namespace mxp::net {

void register_websocket() {
    const auto over = [](const char* lower, const char* scheme) {
        register_transport(scheme, std::make_shared<detail::ws::websockets>(
                                       detail::find_transport(lower), scheme));
    };
    over("tcp", "ws");
    over("tls", "wss");
}

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_TRANSPORT_HPP
