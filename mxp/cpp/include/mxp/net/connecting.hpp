/// How a client connects, again and again.
#ifndef MXP_NET_CONNECTING_HPP
#define MXP_NET_CONNECTING_HPP

#include "client.hpp"

namespace mxp::net {

inline void client::state::connect() {
    if (is_closed) {
        return;
    }
    if (at.carrier == carrier::unix_socket) {
        connect_unix();
    } else {
        connect_tcp();
    }
}

inline void client::state::connect_unix() {
    using protocol = asio::local::stream_protocol;
    if (at.path.size() >= sizeof(sockaddr_un::sun_path)) {
        failed_to_connect("the path is too long");
        return;
    }
    const auto socket = std::make_shared<protocol::socket>(context);
    socket->async_connect(protocol::endpoint{at.path}, [self = shared_from_this(),
                                                        socket](const std::error_code& failed) {
        if (failed) {
            self->failed_to_connect(failed.message());
        } else {
            self->connected(std::make_unique<socket_transport>(std::move(*socket), true));
        }
    });
}

inline void client::state::connect_tcp() {
    resolver.async_resolve(
        at.host, at.port,
        [self = shared_from_this()](const std::error_code& failed,
                                    const asio::ip::tcp::resolver::results_type& found) {
            if (failed) {
                self->failed_to_connect(failed.message());
                return;
            }
            const auto socket = std::make_shared<asio::ip::tcp::socket>(self->context);
            asio::async_connect(
                *socket, found,
                [self, socket](const std::error_code& refused, const asio::ip::tcp::endpoint&) {
                    if (refused) {
                        self->failed_to_connect(refused.message());
                        return;
                    }
                    std::error_code ignored;
                    socket->set_option(asio::ip::tcp::no_delay{true}, ignored);
                    if (self->at.carrier == carrier::tls) {
                        self->secure(socket);
                    } else {
                        self->connected(
                            std::make_unique<socket_transport>(std::move(*socket), false));
                    }
                });
        });
}

inline void client::state::secure([[maybe_unused]] std::shared_ptr<asio::ip::tcp::socket> of) {
#if defined(MXP_TLS)
    if (how.tls != nullptr) {
        const auto secured = std::make_shared<tls_transport::stream>(std::move(*of), *how.tls);
        SSL_set_tlsext_host_name(secured->native_handle(), at.host.c_str());
        std::error_code ignored;
        secured->set_verify_callback(asio::ssl::host_name_verification(at.host), ignored);
        const auto most = std::make_shared<asio::steady_timer>(context, std::chrono::seconds{10});
        most->async_wait([secured](const std::error_code& failed) {
            std::error_code unimportant;
            if (!failed) {
                secured->lowest_layer().close(unimportant);
            }
        });
        secured->async_handshake(
            asio::ssl::stream_base::client,
            [self = shared_from_this(), secured, most](const std::error_code& failed) {
                most->cancel();
                if (failed) {
                    self->failed_to_connect(failed.message());
                } else {
                    self->connected(std::make_unique<tls_transport>(std::move(*secured)));
                }
            });
        return;
    }
#endif
    failed_to_connect("there is no TLS");
}

inline void client::state::connected(std::unique_ptr<transport> by) {
    if (is_closed) {
        by->close();
        return;
    }
    connection::options with;
    with.role = session::role::opener;
    with.window = how.window;
    with.config.types = how.types;
    with.config.payload_bytes = how.payload_bytes;
    with.config.limits = how.limits;
    with.config.observer = how.observer;
    current = std::make_shared<connection>(context, std::move(by), std::move(with), this);
    current->start();
}

inline void client::state::failed_to_connect(std::string why) {
    trouble = "not connected: " + std::move(why);
    retry();
}

/// Connects after a pause: none at first, then a random part of a time that doubles.
inline void client::state::retry() {
    if (is_closed) {
        return;
    }
    std::uniform_int_distribution<std::int64_t> any{0, pause.count()};
    pause_timer.expires_after(std::chrono::microseconds{any(random)});
    pause = std::min(std::max(2 * pause, how.pause_least), how.pause_most);
    pause_timer.async_wait([weak = weak_from_this()](const std::error_code& failed) {
        const auto self = weak.lock();
        if (self && !failed) {
            self->connect();
        }
    });
}

inline void client::state::on_ready(connection& /*of*/) {
    pause = std::chrono::microseconds{0};
    make_waiting();
}

inline void client::state::on_room(connection& of) {
    if (&of == current.get() && of.is_open()) {
        make_waiting();
    }
}

/// The next requests go to a new connection; those in flight stay on this one.
inline void client::state::on_draining(connection& of) {
    if (&of == current.get()) {
        draining.push_back(std::move(current));
        current.reset();
        retry();
    }
}

inline void client::state::on_gone(connection& of, const failure& why) {
    gone.add(of.stats());
    const auto drained = std::find_if(draining.begin(), draining.end(),
                                      [&](const auto& one) { return one.get() == &of; });
    if (drained != draining.end()) {
        draining.erase(drained);
        return;
    }
    trouble = "not connected: " + why.name + (why.text.empty() ? "" : ": " + why.text);
    if (!of.was_ready()) {
        pause = std::max(pause, how.pause_least);  // it accepts, and then refuses
    }
    current.reset();
    retry();
}

inline void client::state::close() {
    if (is_closed) {
        return;
    }
    is_closed = true;
    pause_timer.cancel();
    wait_timer.cancel();
    resolver.cancel();
    const auto kept = shared_from_this();
    auto all = std::move(draining);
    if (current) {
        all.push_back(current);
    }
    for (const auto& one : all) {
        gone.add(one->stats());
        one->detach();
        one->close();
    }
    current.reset();
    draining.clear();
    const failure why = failure_of(session::kind::closed);
    for (const auto& one : std::exchange(queue, {})) {
        one->fail(why);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTING_HPP
