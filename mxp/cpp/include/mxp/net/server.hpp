/// Takes connections, and serves what is asked on them.
#ifndef MXP_NET_SERVER_HPP
#define MXP_NET_SERVER_HPP

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "address.hpp"
#include "connection.hpp"
#include "unix_socket.hpp"
#if defined(MXP_TLS)
#include "tls.hpp"
#include "tls_peer.hpp"
#endif

namespace mxp::net {

struct server_options {
    /// The types that the services reach besides those they say, so that peers can compare them.
    std::vector<session::type> types{};
    std::size_t payload_bytes = mxp::payload_bytes;
    session::limits limits{};
    session::observer* observer = nullptr;
    /// How many connections there may be at once.
    std::size_t connections = 16384;
    /// How many bytes all connections may hold together; 0 is a quarter of the machine's memory, or
    /// of the control group's [MXP-15.4].
    std::size_t memory_bytes = 0;
    /// How many bytes may be on their way to the reader of a stream. The peer can send no chunk of
    /// more than half of it.
    std::size_t window = 2 << 20;
    /// Is told failures of requests that are the server's to mend: those with status Internal,
    /// among them what handlers throw, and responses that are too large; methods that there are
    /// not; and events that were not taken. It is for a log: `to_string` makes a line of one.
    std::function<void(const failure&)> on_failure{};
    /// Whether to keep a directory of agents, who say by name what they can do [MXP-12]. On TCP
    /// anybody could take a name.
    bool agents = false;
    /// Asked once for each connection, when TLS has ended its handshake and before anything of MXP
    /// is read: who is not let in is told why, with status PermissionDenied and the name
    /// `not_admitted` unless the failure says otherwise, and does not come back at once. Several
    /// threads may ask at a time. Without it, only the user that the server runs as may connect to
    /// its unix sockets.
    admission admit{};
    /// Whether any user may, where `admit` is not set.
    bool any_user = false;
#if defined(MXP_TLS)
    /// Has the certificate, for `mxp+tls`. It has to outlive the server.
    asio::ssl::context* tls = nullptr;
#endif
};

/// Serves any number of addresses, on the threads that run its `io_context`, and is used on any.
/// Handlers of one connection are called one at a time, those of several side by side. Where
/// several threads run the context, handlers may still run for a moment after `close`.
class server {
   public:
    server(asio::io_context& on, services all, server_options how = {})
        : all_(std::make_shared<state>(on, std::move(all), std::move(how))) {}
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server() { close(); }

    /// Takes connections at an address from now on. It returns the address, with the port that
    /// was given for port 0.
    attempt<std::string> listen(std::string_view text) { return all_->listen(text); }

    /// Takes no new connections and requests, and calls `then` when none is left. What is left
    /// after `most` is cut off.
    void drain(std::string_view reason, std::chrono::milliseconds most,
               std::function<void()> then) {
        all_->drain(reason, most, std::move(then));
    }

    /// Cuts off all connections.
    void close() { all_->close(); }

    [[nodiscard]] std::size_t connections() const {
        const std::lock_guard<std::mutex> lock{all_->mutex};
        return all_->connections.size();
    }

    /// The counters of all connections there were.
    [[nodiscard]] session::statistics stats() const {
        const std::lock_guard<std::mutex> lock{all_->mutex};
        session::statistics made = all_->gone;
        for (const auto& [key, one] : all_->connections) {
            made.add(one->stats());
        }
        all_->meters->add_to(made);
        return made;
    }

   private:
    /// Stays until what was begun has ended.
    struct state final : connection::owner, std::enable_shared_from_this<state> {
        state(asio::io_context& on, services all, server_options with)
            : context(on),
              how(std::move(with)),
              timer(on),
              trimming(on),
              budget(std::make_shared<detail::budget>(
                  how.memory_bytes > 0 ? how.memory_bytes : default_memory_bytes())),
              agents(how.agents ? std::make_shared<detail::agents>() : nullptr),
              served(services::served(std::move(all))) {
            if (!served->types().empty()) {
                auto types = served->types();
                add_types(types, std::move(how.types));
                how.types = std::move(types);
            }
        }

        attempt<std::string> listen(std::string_view text);
        attempt<std::string> listen_unix(const address& at);
        attempt<std::string> listen_tcp(const address& at);
        /// With the lock held.
        void accept(const std::shared_ptr<asio::local::stream_protocol::acceptor>& by,
                    const std::shared_ptr<const std::string>& at);
        void accept(const std::shared_ptr<asio::ip::tcp::acceptor>& by, bool is_tls);
        template <class Acceptor, class Again>
        [[nodiscard]] bool accepted(const std::shared_ptr<Acceptor>& by,
                                    const std::error_code& failed, Again again);
        template <class Acceptor, class Again>
        void accept_later(const std::shared_ptr<Acceptor>& by, Again again);
        void serve(std::unique_ptr<transport> by, net::peer who);
        [[nodiscard]] std::optional<failure> admit(const net::peer& who) const;
        void secure(asio::ip::tcp::socket of);
        void drain(std::string_view reason, std::chrono::milliseconds most,
                   std::function<void()> then);
        /// With the lock held.
        void stop();
        [[nodiscard]] std::vector<std::shared_ptr<connection>> all() const;
        void close();
        void settle();
        /// With the lock held.
        void trim();
        void on_gone(connection& of, const failure& why) override;

        asio::io_context& context;
        /// Guards what follows. No function of the user's is called under it.
        mutable std::mutex mutex{};
        server_options how;
        asio::steady_timer timer;
        asio::steady_timer trimming;
        bool is_trimming = false;
        std::shared_ptr<detail::budget> budget;
        std::shared_ptr<detail::agents> agents;
        std::shared_ptr<detail::meters> meters = std::make_shared<detail::meters>();
        std::shared_ptr<const services> served;
        /// Close the listeners.
        std::vector<std::function<void()>> listeners{};
        std::unordered_map<connection*, std::shared_ptr<connection>> connections{};
        session::statistics gone{};
        /// TLS handshakes that have not ended.
        std::size_t securing = 0;
        bool is_closed = false;
        std::function<void()> drained{};
    };

    std::shared_ptr<state> all_;
};

namespace detail {

/// The address of a socket's other side; there is none if that is gone.
[[nodiscard]] inline std::string peer_of(const asio::ip::tcp::socket& of, carrier by) {
    std::error_code failed;
    const auto at = of.remote_endpoint(failed);
    return failed ? std::string{}
                  : to_string(address{by, {}, at.address().to_string(), std::to_string(at.port())});
}

}  // namespace detail

inline attempt<std::string> server::state::listen(std::string_view text) {
    if (const auto wrong = detail::wrong_options(how)) {
        return failed_attempt{{std::make_error_code(std::errc::invalid_argument), *wrong}};
    }
    const auto at = parse_address(text);
    if (!at) {
        return failed_attempt{{std::make_error_code(std::errc::invalid_argument),
                               std::string{text} +
                                   " is none of mxp+unix:///path, mxp+tcp://host:port and "
                                   "mxp+tls://host:port"}};
    }
    return at->carrier == carrier::unix_socket ? listen_unix(*at) : listen_tcp(*at);
}

inline attempt<std::string> server::state::listen_unix(const address& at) {
    if (!how.any_user && !how.admit && !tells_peer_user) {
        return failed_attempt{{std::make_error_code(std::errc::operation_not_supported),
                               "this system doesn't tell who connects to a unix socket; with "
                               "any_user all may whom the file's mode lets"}};
    }
    const auto by = std::make_shared<asio::local::stream_protocol::acceptor>(context);
    if (const auto done = listen_on(*by, at.path); !done) {
        return failed_attempt{done.error()};
    }
    const std::lock_guard<std::mutex> lock{mutex};
    listeners.emplace_back([by, path = at.path] {
        std::error_code ignored;
        by->close(ignored);
        ::unlink(path.c_str());
    });
    const auto text = std::make_shared<const std::string>(to_string(at));
    accept(by, text);
    return *text;
}

inline attempt<std::string> server::state::listen_tcp(const address& at) {
    const bool is_tls = at.carrier == carrier::tls;
#if defined(MXP_TLS)
    const bool is_possible = !is_tls || how.tls != nullptr;
#else
    const bool is_possible = !is_tls;
#endif
    if (!is_possible) {
        return failed_attempt{
            {std::make_error_code(std::errc::operation_not_supported), "there is no TLS"}};
    }
    std::error_code failed;
    asio::ip::tcp::resolver resolver{context};
    const auto found = resolver.resolve(at.host, at.port, asio::ip::tcp::resolver::passive, failed);
    if (failed || found.empty()) {
        return failed_attempt{{failed, at.host}};
    }
    const auto by = std::make_shared<asio::ip::tcp::acceptor>(context);
    const asio::ip::tcp::endpoint endpoint = *found.begin();
    by->open(endpoint.protocol(), failed);
    if (!failed) {
        by->set_option(asio::socket_base::reuse_address{true}, failed);
    }
    if (!failed) {
        by->bind(endpoint, failed);
    }
    if (!failed) {
        by->listen(asio::socket_base::max_listen_connections, failed);
    }
    if (failed) {
        return failed_attempt{{failed, at.host + ":" + at.port}};
    }
    const std::lock_guard<std::mutex> lock{mutex};
    listeners.emplace_back([by] {
        std::error_code ignored;
        by->close(ignored);
    });
    accept(by, is_tls);
    const std::string host = at.host.find(':') == std::string::npos ? at.host : "[" + at.host + "]";
    const auto port = std::to_string(by->local_endpoint(failed).port());
    return (is_tls ? "mxp+tls://" : "mxp+tcp://") + host + ":" + port;
}

inline void server::state::accept(const std::shared_ptr<asio::local::stream_protocol::acceptor>& by,
                                  const std::shared_ptr<const std::string>& at) {
    by->async_accept(
        [self = shared_from_this(), by, at](const std::error_code& failed,
                                            asio::local::stream_protocol::socket socket) {
            if (self->accepted(by, failed, [by, at](state& of) { of.accept(by, at); })) {
                net::peer who{*at, carrier::unix_socket, peer_process(socket.native_handle()), {}};
                self->serve(std::make_unique<socket_transport>(std::move(socket), true),
                            std::move(who));
            }
        });
}

inline void server::state::accept(const std::shared_ptr<asio::ip::tcp::acceptor>& by, bool is_tls) {
    by->async_accept([self = shared_from_this(), by, is_tls](const std::error_code& failed,
                                                             asio::ip::tcp::socket socket) {
        if (!self->accepted(by, failed, [by, is_tls](state& of) { of.accept(by, is_tls); })) {
            return;
        }
        detail::tune_tcp(socket.native_handle(), detail::unsent_bytes);
        if (is_tls) {
            self->secure(std::move(socket));
        } else {
            net::peer who{detail::peer_of(socket, carrier::tcp), carrier::tcp, {}, {}};
            self->serve(std::make_unique<socket_transport>(std::move(socket), false),
                        std::move(who));
        }
    });
}

/// Goes on to accept, unless the server is closed; false if nobody has connected.
template <class Acceptor, class Again>
bool server::state::accepted(const std::shared_ptr<Acceptor>& by, const std::error_code& failed,
                             Again again) {
    const std::lock_guard<std::mutex> lock{mutex};
    if (is_closed) {
        return false;
    }
    if (failed) {
        accept_later(by, again);
        return false;
    }
    again(*this);
    return true;
}

/// Tries anew after a while, when for instance there are too many open files.
template <class Acceptor, class Again>
void server::state::accept_later(const std::shared_ptr<Acceptor>& by, Again again) {
    const auto pause = std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds{10});
    pause->async_wait([self = shared_from_this(), by, pause, again](const std::error_code& failed) {
        const std::lock_guard<std::mutex> lock{self->mutex};
        if (!failed && !self->is_closed && by->is_open()) {
            again(*self);
        }
    });
}

inline void server::state::secure([[maybe_unused]] asio::ip::tcp::socket of) {
#if defined(MXP_TLS)
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (connections.size() + securing >= how.connections) {
            return;
        }
        ++securing;
    }
    const auto peer = detail::peer_of(of, carrier::tls);
    const auto made = std::make_shared<tls_stream>(std::move(of), *how.tls);
    const auto most = std::make_shared<asio::steady_timer>(
        context, std::chrono::microseconds{static_cast<std::int64_t>(how.limits.hello_us)});
    most->async_wait([made](const std::error_code& failed) {
        if (!failed) {
            tls_stream::close(made);
        }
    });
    tls_stream::shake_hands(
        made, asio::ssl::stream_base::server,
        [self = shared_from_this(), made, most, peer](const std::error_code& failed) {
            most->cancel();
            {
                const std::lock_guard<std::mutex> lock{self->mutex};
                --self->securing;
            }
            if (!failed) {
                self->serve(
                    std::make_unique<tls_transport>(made),
                    {peer, carrier::tls, {}, detail::certificate_of(made->bytes.native_handle())});
            }
        });
#endif
}

/// Why a peer is not let in, if it isn't.
inline std::optional<failure> server::state::admit(const net::peer& who) const {
    auto why = how.admit      ? how.admit(who)
               : how.any_user ? std::nullopt
                              : detail::admit_same_user(who);
    return why ? std::optional{detail::not_admitted(std::move(*why))} : std::nullopt;
}

inline void server::state::serve(std::unique_ptr<transport> by, net::peer who) {
    auto why = admit(who);
    connection::options with;
    with.services = served;
    with.role = session::role::acceptor;
    with.window = how.window;
    if (!who.address.empty()) {
        with.peer = std::make_shared<const std::string>(who.address);
    }
    with.who = std::make_shared<const net::peer>(std::move(who));
    with.on_failure = how.on_failure;
    with.config.types = how.types;
    with.config.payload_bytes = how.payload_bytes;
    with.config.limits = how.limits;
    with.config.observer = how.observer;
    with.budget = budget;
    with.meters = meters;
    if (agents != nullptr) {
        with.agents = agents;
        with.owner = agents->next_owner();
    }
    const auto made =
        std::make_shared<connection>(context, std::make_shared<detail::strand>(context),
                                     std::move(by), std::move(with), weak_from_this());
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (is_closed || connections.size() >= how.connections) {
            made->detach();
            made->close();
            return;
        }
        connections.emplace(made.get(), made);
    }
    made->turns()->run([made, why = std::move(why)] {
        if (why) {
            made->reject(*why);
        } else {
            made->start();
        }
    });
}

inline void server::state::on_gone(connection& of, const failure& /*why*/) {
    {
        const std::lock_guard<std::mutex> lock{mutex};
        gone.add(of.stats());
        connections.erase(&of);
        trim();
    }
    settle();
}

/// Gives memory back to the system where much was let go.
inline void server::state::trim() {
    if (budget->is_trim_due(std::chrono::steady_clock::now())) {
        detail::budget::trim();
    }
    if (is_closed || is_trimming || !budget->has_let_go()) {
        return;
    }
    is_trimming = true;
    trimming.expires_after(std::chrono::seconds{1});
    trimming.async_wait([weak = weak_from_this()](const std::error_code& failed) {
        const auto self = weak.lock();
        if (self && !failed) {
            const std::lock_guard<std::mutex> lock{self->mutex};
            self->is_trimming = false;
            self->trim();
        }
    });
}

/// Closes the listeners.
inline void server::state::stop() {
    is_closed = true;
    trimming.cancel();
    for (const auto& one : std::exchange(listeners, {})) {
        one();
    }
}

[[nodiscard]] inline std::vector<std::shared_ptr<connection>> server::state::all() const {
    std::vector<std::shared_ptr<connection>> made;
    for (const auto& [key, one] : connections) {
        made.push_back(one);
    }
    return made;
}

inline void server::state::drain(std::string_view reason, std::chrono::milliseconds most,
                                 std::function<void()> then) {
    std::unique_lock<std::mutex> lock{mutex};
    stop();
    drained = std::move(then);
    timer.expires_after(most);
    timer.async_wait([weak = weak_from_this()](const std::error_code& failed) {
        const auto self = weak.lock();
        if (self && !failed) {
            self->close();
        }
    });
    const auto there = all();
    lock.unlock();
    for (const auto& one : served->watchers()) {
        one->on_drain();
    }
    for (const auto& one : there) {
        one->turns()->run([one, why = std::string{reason}] { one->drain(why); });
    }
    asio::post(context, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->settle();
        }
    });
}

/// Tells when all connections are gone.
inline void server::state::settle() {
    std::function<void()> then;
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (is_closed && connections.empty() && drained) {
            timer.cancel();
            then = std::exchange(drained, nullptr);
        }
    }
    if (then) {
        then();
    }
}

inline void server::state::close() {
    std::unique_lock<std::mutex> lock{mutex};
    stop();
    timer.cancel();
    const auto there = all();
    lock.unlock();
    for (const auto& one : there) {
        one->turns()->run([one] { one->close(); });
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_SERVER_HPP
