/// The state of a server.
#ifndef MXP_NET_SERVER_STATE_HPP
#define MXP_NET_SERVER_STATE_HPP

#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../engine/ending.hpp"
#include "admission.hpp"
#include "connection.hpp"
#include "server.hpp"
#include "system/features.hpp"
#include "transport/shm/account.hpp"
#include "transports.hpp"

namespace mxp::net {

/// The state of a server, which stays until all of its operations have ended.
struct server::state final : connection::owner, std::enable_shared_from_this<state> {
    state(asio::io_context& io, services services, server_options settings)
        : context(io),
          options(std::move(settings)),
          timer(io),
          trimming(io),
          budget(std::make_shared<detail::budget>(
              options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes())),
          bulk_reads(std::make_shared<detail::bulk_reads>(io)),
          agents(options.agents ? std::make_shared<detail::agents>() : nullptr),
          told(detail::told_serving(options.telemetry, meters)),
          served(services::served(std::move(services), detail::told_incoming(told))) {
        options.shm.account = std::make_shared<detail::shm_account>(options.shm, options.logger);
        if (!served->types().empty()) {
            auto types = served->types();
            add_types(types, std::move(options.types));
            options.types = std::move(types);
        }
    }

    attempt<std::string> listen(std::string_view text);
    void open(const std::shared_ptr<byte_stream>& bytes, protection protection);
    void serve(const std::shared_ptr<byte_stream>& bytes, protection protection,
               const std::shared_ptr<detail::strand>& turns);
    [[nodiscard]] std::optional<failure> admit(const net::peer& peer, protection protection) const;
    void drain(std::string_view reason, std::chrono::milliseconds most, std::function<void()> then);
    void open_channel(detail::shm::proposal& proposal, protection protection,
                      detail::strand& turns);
    static void close_all(const std::unordered_map<std::uint64_t, std::function<void()>>& open);
    /// With the lock held.
    void stop();
    [[nodiscard]] std::vector<std::shared_ptr<connection>> all() const;
    void close();
    void settle();
    void later_settle();
    /// With the lock held.
    void trim();
    void on_ready(connection& ready) override {
        ready.differences().log(options.logger, *ready.peer());
    }
    void on_gone(connection& carrier, const failure& why) override;

    asio::io_context& context;
    /// Guards what follows. No function of the user's is called under it.
    mutable std::mutex mutex{};
    server_options options;
    asio::steady_timer timer;
    asio::steady_timer trimming;
    bool is_trimming = false;
    std::shared_ptr<detail::budget> budget;
    std::shared_ptr<detail::bulk_reads> bulk_reads;
    std::shared_ptr<detail::agents> agents;
    std::shared_ptr<detail::meters> meters = std::make_shared<detail::meters>();
    std::shared_ptr<const detail::observer_side> told;
    std::shared_ptr<const services> served;
    /// Close the listeners.
    std::vector<std::function<void()>> listeners{};
    std::unordered_map<connection*, std::shared_ptr<connection>> connections{};
    /// Close the channels that are open, by numbers of their own. A channel that is being opened
    /// has nothing to close.
    std::unordered_map<std::uint64_t, std::function<void()>> channels{};
    std::uint64_t next_channel = 0;
    session::statistics gone{};
    /// Connections that are not yet served, for example during the handshake of TLS.
    std::size_t opening = 0;
    bool is_closed = false;
    std::function<void()> drained{};
};

/// Why a peer is not let in, if it isn't.
inline std::optional<failure> server::state::admit(const net::peer& peer,
                                                   protection protection) const {
    const bool is_told_user = protection.peer_credentials && !options.any_user;
    auto why = options.admit  ? options.admit(peer)
               : is_told_user ? detail::admit_same_user(peer)
                              : std::nullopt;
    return why ? std::optional{engine::not_admitted(std::move(*why))} : std::nullopt;
}

inline void server::state::serve(const std::shared_ptr<byte_stream>& bytes, protection protection,
                                 const std::shared_ptr<detail::strand>& turns) {
    if (const auto wanted = bytes->proposal()) {
        open_channel(*wanted, protection, *turns);
        return;
    }
    net::peer who = bytes->peer();
    auto why = admit(who, protection);
    connection::options with;
    with.services = served;
    with.role = session::role::acceptor;
    with.window = options.window;
    if (!who.address.empty()) {
        with.peer = std::make_shared<const std::string>(who.address);
    }
    with.who = std::make_shared<const net::peer>(std::move(who));
    with.on_failure = options.on_failure;
    with.config.types = options.types;
    with.config.payload_bytes = options.payload_bytes;
    with.config.limits = options.limits;
    with.config.observer = options.observer;
    with.config.offers_checksum_off = protection.keeps_bytes();
    with.config.offers_batches = options.batches;
    with.budget = budget;
    with.bulk_reads = bulk_reads;
    with.meters = meters;
    with.told = told;
    if (agents != nullptr) {
        with.agents = agents;
        with.owner = agents->next_owner();
    }
    const auto made =
        std::make_shared<connection>(context, turns, bytes, std::move(with), weak_from_this());
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (is_closed || connections.size() + channels.size() >= options.connections) {
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

inline void server::state::on_gone(connection& carrier, const failure& /*why*/) {
    {
        const std::lock_guard<std::mutex> lock{mutex};
        gone.add(carrier.stats());
        connections.erase(&carrier);
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

inline void
server::state::close_all(const std::unordered_map<std::uint64_t, std::function<void()>>& open) {
    for (const auto& [number, close] : open) {
        if (close) {
            close();
        }
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
    const auto open_channels = channels;
    lock.unlock();
    close_all(open_channels);
    for (const auto& one : served->watchers()) {
        one->on_drain();
    }
    for (const auto& one : there) {
        one->turns()->run([one, why = std::string{reason}] { one->drain(why); });
    }
    later_settle();
}

inline void server::state::later_settle() {
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
        if (is_closed && connections.empty() && channels.empty() && drained) {
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
    // They count no more, even where their ends are still in use.
    const auto open_channels = std::exchange(channels, {});
    lock.unlock();
    close_all(open_channels);
    later_settle();
    for (const auto& one : there) {
        one->turns()->run([one] { one->close(); });
    }
}

server::server(asio::io_context& io, services list, server_options options,
               detail::standard /*same*/)
    : all_(std::make_shared<state>(io, std::move(list), std::move(options))) {}
server::~server() { close(); }

attempt<std::string> server::listen(std::string_view text) { return all_->listen(text); }

void server::drain(std::string_view reason, std::chrono::milliseconds most,
                   std::function<void()> then) {
    all_->drain(reason, most, std::move(then));
}

void server::close() { all_->close(); }

std::size_t server::connections() const {
    const std::lock_guard<std::mutex> lock{all_->mutex};
    return all_->connections.size() + all_->channels.size();
}

session::statistics server::stats() const {
    const std::lock_guard<std::mutex> lock{all_->mutex};
    session::statistics made = all_->gone;
    for (const auto& [key, one] : all_->connections) {
        made.add(one->stats());
    }
    all_->meters->add_to(made);
    made.shm_fallbacks += all_->options.shm.account->fallbacks();
    return made;
}

}  // namespace mxp::net

#endif  // MXP_NET_SERVER_STATE_HPP
