/// The state of a client.
#ifndef MXP_NET_CLIENT_STATE_HPP
#define MXP_NET_CLIENT_STATE_HPP

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../engine/endpoint.hpp"
#include "../engine/failure_text.hpp"
#include "../engine/line.hpp"
#include "../engine/repeat.hpp"
#include "../engine/retry.hpp"
#include "client.hpp"
#include "connection.hpp"
#include "draws.hpp"
#include "outage.hpp"
#include "transport/shm/account.hpp"
#include "transports.hpp"

namespace mxp::net {

/// A request that waits until it can be made, and is kept until it has ended.
struct client::waiter : std::enable_shared_from_this<waiter> {
    std::uint64_t ticket = 0;
    session::purpose kind{};
    /// Its own deadline.
    clock::time_point until = clock::time_point::max();
    [[nodiscard]] bool has_deadline() const noexcept { return until != clock::time_point::max(); }
    /// The method and the address, for messages about its failure.
    engine::subject subject{};
    session::request asked{};
    net::metadata beside{};
    session::value body{};
    /// Its pauses where the peer has no place for it.
    engine::repeats repeats{};
    /// Of an agent request.
    std::function<session::result<std::uint64_t>(session::session&, std::uint64_t)> make{};
    std::unique_ptr<asio::steady_timer> late{};
    /// Of an event.
    bool requires_ack = false;
    session::when_full full{};
    /// Of several events: their values, the first that was not made, and their joint end.
    packed_values several{};
    std::size_t next = 0;
    std::shared_ptr<batch_end> joint{};
    /// Of a stream.
    bool is_final = false;
    std::shared_ptr<stream::state> end{};
    /// Of the others. There may be none.
    answer_handler then{};

    /// Since when it waits for a connection.
    clock::time_point since{};
    /// When it is made again, and how often it was made.
    std::optional<retry_policy> policy{};
    std::size_t attempts = 1;
    bool is_idempotent = false;
    /// The attempts that are in flight together, this one among them. There may be none.
    std::shared_ptr<hedge> hedged{};
    /// The call that this is another attempt of. There may be none.
    std::shared_ptr<waiter> attempt_of{};
    /// The functions of interceptors that are to be told its end, the outermost first.
    detail::endings<answer> ends{};
    /// The client that can make it again by a policy or for an interceptor. There may be none.
    std::weak_ptr<state> maker{};

    /// Counts it, while it is in flight; a stream counts itself.
    detail::request_meter measured{};

    /// The bytes that are sent.
    [[nodiscard]] std::size_t bytes() const noexcept { return body.size() + several.bytes(); }

    void tell(const answer& ending);
    /// The request whose end that of this attempt is. There may be none.
    [[nodiscard]] std::shared_ptr<waiter> whole(const answer& ending);
    /// Makes it again by its policy, or tells its end.
    void settle(const answer& ending);
    /// Tells the interceptors before a place, and then the user.
    void end_with(answer ending, std::size_t place);
    void fail(const failure& why) {
        if (end) {
            end->end(&why);
        } else {
            tell({why, {}, {}});
        }
    }
};

/// The state that a client shares with its requests and connections.
struct client::state final : std::enable_shared_from_this<state> {
    state(asio::io_context& io, client_options settings,
          std::shared_ptr<detail::strand> strand = nullptr);

    [[nodiscard]] std::uint64_t next_ticket() noexcept { return ++tickets; }
    /// Whether requests can be made, and on which connection the next one is.
    [[nodiscard]] bool is_usable() const noexcept;
    [[nodiscard]] connection* choose(const std::vector<const connection*>& but = {});
    /// Whether there is no connection, and none can be had.
    [[nodiscard]] bool is_hopeless() const noexcept;
    /// Why there is no connection.
    [[nodiscard]] failure trouble() const;

    void call(std::uint64_t ticket, const method& method, session::value body,
              call_options settings, answer_handler then);
    void event(std::uint64_t ticket, const method& method, session::value body,
               event_options settings, answer_handler then);
    void events(const method& method, packed_values values, event_options settings,
                answer_handler then);
    stream open(const method& method, session::value body, call_options settings, bool is_final);
    template <class Make, class Read, class Then>
    std::uint64_t agents(Make make, Read reader, Then then, std::chrono::microseconds deadline);
    template <class Options>
    [[nodiscard]] std::shared_ptr<waiter> request_of(std::uint64_t ticket, session::purpose,
                                                     const method& method, session::value& body,
                                                     Options& settings, answer_handler then);
    [[nodiscard]] engine::subject subject_of(const method& method) const {
        return {std::string{method.service}, method.number, std::string{method.name}, place};
    }
    void cancel(std::uint64_t ticket);
    void close();

    /// Makes an event a publication.
    [[nodiscard]] std::optional<failure> publish(waiter& waiter, bool is_durable);

    // Agents of the mesh.
    void follow(std::string_view address);
    void sweep_later();

    // Leaving.
    void drain(std::string reason, std::chrono::milliseconds most, std::function<void()> then);
    [[nodiscard]] bool is_leaving() const noexcept { return farewell.has_value(); }
    void leave();

    // Requests that wait.
    void begin(const std::shared_ptr<waiter>& waiter, std::chrono::microseconds deadline);
    void ask(const std::shared_ptr<waiter>& waiter);
    void await_deadline(waiter& waiter);
    void measure(waiter& waiter) const;
    /// On a connection, or on any.
    engine::attempt try_make(const std::shared_ptr<waiter>& waiter, connection* first = nullptr);
    session::result<std::uint64_t> make(connection& connection, const session::request& request,
                                        session::value body, const std::shared_ptr<waiter>& waiter);
    session::result<std::uint64_t> make_several(connection& connection,
                                                const session::request& request,
                                                const std::shared_ptr<waiter>& waiter);
    [[nodiscard]] connection::answer_handler ending(const std::shared_ptr<waiter>& waiter,
                                                    connection& connection);
    [[nodiscard]] bool wait_again(const failure& why, const std::shared_ptr<waiter>& waiter,
                                  const connection* was_on);
    void make_after(const std::shared_ptr<waiter>& waiter, const failure& why,
                    std::chrono::microseconds most);
    [[nodiscard]] bool repeat(const std::shared_ptr<waiter>& waiter, const failure& why);
    void begin_hedge(const std::shared_ptr<waiter>& waiter);
    void hedge_later(const std::shared_ptr<hedge>& hedge, std::chrono::microseconds delay);
    void hedge_now(const std::shared_ptr<hedge>& hedge, waiter& waiter);
    void decide(const std::shared_ptr<waiter>& waiter, std::optional<net::metadata> entries,
                failure why, std::size_t level);
    void make_waiting();
    /// Fails all that waits, since there will be no connection.
    void fail_waiting();
    void arm();
    void expire();

    /// A handler that runs in a turn, if the client is there by then.
    template <class Function>
    [[nodiscard]] auto in_turn(Function then) {
        return [weak = weak_from_this(), then = std::move(then)](const std::error_code& failed,
                                                                 const auto&... more) {
            if (const auto self = weak.lock()) {
                self->turns->run(
                    [self, then, failed, more...]() mutable { then(failed, more...); });
            }
        };
    }
    /// The same for a function of a value.
    template <class Function>
    [[nodiscard]] auto in_turn_with(Function then) {
        return [weak = weak_from_this(), then = std::move(then)](auto value) {
            if (const auto self = weak.lock()) {
                self->turns->run(
                    [self, then, value = std::move(value)]() mutable { then(std::move(value)); });
            }
        };
    }
    asio::io_context& context;
    /// Shared with its connections. All but the next few is used in its turns.
    std::shared_ptr<detail::meters> meters;
    std::shared_ptr<detail::strand> turns;
    std::atomic<bool> is_connected{false};
    std::atomic<std::uint64_t> tickets{0};
    /// Guards the list of connections, for threads that ask for counters.
    mutable std::mutex mutex{};
    /// The services that are served to the peer. There may be none.
    std::shared_ptr<const services> served{};
    /// The observer that is told of those. There may be none.
    std::shared_ptr<const detail::observer_side> told{};
    /// Whether it asks on a connection that another has, and ends with that.
    bool is_single = false;
    /// Whether its events go to all of a mesh who subscribe.
    bool publishes = false;
    /// The address, if there is one alone. Requests share it.
    std::shared_ptr<const std::string> place{};
    client_options options;
    std::shared_ptr<detail::budget> budget;
    std::vector<std::unique_ptr<link>> links{};
    /// The agents whose links they are. There may be none.
    std::shared_ptr<agent_follower> agents_followed{};
    /// Is told of each new connection. There may be none.
    std::function<void()> on_connected{};
    asio::steady_timer wait_timer;
    asio::steady_timer leave_timer;
    clock::time_point armed_at = clock::time_point::max();
    session::statistics gone{};
    clock::time_point disconnected_since = clock::now();
    bool is_closed = false;
    /// The reason that no new requests are made, and the function that is told when none is left.
    std::optional<std::string> farewell{};
    std::function<void()> has_left{};
    bool is_making = false;
    detail::draws draws{};
    engine::retries repetitions{};
    engine::line<waiter> queue{};
    /// A request that is made again after a pause, with its timer and its last failure.
    struct paused_request {
        std::shared_ptr<waiter> request;
        std::shared_ptr<asio::steady_timer> timer;
        failure why;
    };
    std::unordered_map<std::uint64_t, paused_request> paused{};
    /// The calls that may be in flight on several connections, by their tickets.
    std::unordered_map<std::uint64_t, std::shared_ptr<hedge>> hedges{};
    /// Where requests are that were made: connection and id, by ticket.
    std::unordered_map<std::uint64_t, std::pair<std::weak_ptr<connection>, std::uint64_t>> made{};
};

/// Keeps a connection to an address, and makes another when it is lost.
struct client::link final : connection::owner {
    link(state& state, const std::optional<address>& address, const std::string& text)
        : all(state),
          place(std::make_shared<const std::string>(text)),
          outage(*place, state.options.logger),
          endpoint(state.options.pause_least, state.options.pause_most, text),
          attempt_timer(state.context),
          pause_timer(state.context) {
        if (auto never = detail::unable(address, *place, state.options)) {
            outage.failed(*never);
            endpoint.give_up(std::move(*never));
            is_able = false;
        } else {
            at = *address;
            by = detail::transports::registered().find(at.scheme);
        }
    }

    [[nodiscard]] connection* usable() const noexcept {
        return current && current->is_open() ? current.get() : nullptr;
    }
    void connect();
    void abandon_late();
    void open(std::shared_ptr<byte_stream> bytes);
    void connected(const std::shared_ptr<byte_stream>& bytes);
    void failed_to_connect(failure why);
    void disconnected();
    void retry();

    /// Connects anew if nothing was left that a connection would be made for.
    void wake();
    /// Gives up connecting, and what connections there are.
    [[nodiscard]] std::vector<std::shared_ptr<connection>> close();
    /// Handlers that run in a turn, if the link is there by then.
    template <class Function>
    [[nodiscard]] auto in_turn(Function then) {
        return all.in_turn(while_there(std::move(then)));
    }
    template <class Function>
    [[nodiscard]] auto in_turn_with(Function then) {
        return all.in_turn_with(while_there(std::move(then)));
    }
    template <class Function>
    [[nodiscard]] auto while_there(Function then) {
        return [weak = std::weak_ptr<const bool>{is_there},
                then = std::move(then)](auto&& value) mutable {
            if (!weak.expired()) {
                then(std::forward<decltype(value)>(value));
            }
        };
    }
    /// Of an agent that is gone.
    void retire();
    void turn_to_next_place();
    void set_current(std::shared_ptr<connection> connection);
    void set_aside();

    void on_ended(connection& connection, const failure& why) override;
    void on_ready(connection& connection) override;
    void on_draining(connection& connection) override;
    void on_room(connection& connection) override;
    void on_gone(connection& carrier, const failure& why) override;
    void ended(const connection& connection, const failure& why);

    state& all;
    address at{};
    std::shared_ptr<transport> by{};
    /// Whether there is anything to connect to.
    bool is_able = true;
    /// The addresses of an agent, that of the link first.
    std::vector<std::string> places{};
    /// Whether nothing is asked any more, since the agent is gone.
    bool is_retired = false;
    /// Gone with the link.
    std::shared_ptr<const bool> is_there = std::make_shared<const bool>(true);
    /// The address, as it was given. Requests share it.
    std::shared_ptr<const std::string> place;
    detail::outage_log outage;
    engine::endpoint endpoint;
    /// Gives up the attempt that is under way, if there is one.
    std::function<void()> give_up{};
    asio::steady_timer attempt_timer;
    asio::steady_timer pause_timer;
    std::shared_ptr<connection> current{};
    /// The connections whose peer drains, until they are gone.
    std::vector<std::shared_ptr<connection>> draining{};
    /// Whether nothing is left that a connection would be made for.
    bool is_resting = false;
};

inline client::state::state(asio::io_context& io, client_options settings,
                            std::shared_ptr<detail::strand> strand)
    : context(io),
      meters(strand == nullptr ? std::make_shared<detail::meters>() : nullptr),
      turns(strand != nullptr ? std::move(strand) : std::make_shared<detail::strand>(io)),
      options(std::move(settings)),
      budget(std::make_shared<detail::budget>(options.memory_bytes > 0 ? options.memory_bytes
                                                                       : default_memory_bytes())),
      wait_timer(io),
      leave_timer(io) {
    options.shm.account = std::make_shared<detail::shm_account>(
        options.shm, [log = options.logger, order = turns](severity level, std::string_view line) {
            if (log) {
                order->run([log, level, line = std::string{line}] { log(level, line); });
            }
        });
    if (const auto names = options.services.names(); !names.empty()) {
        auto types = options.services.types();
        add_types(types, std::move(options.types));
        options.types = std::move(types);
        told = detail::told_serving(options.telemetry, meters);
        served = services::served(std::move(options.services), detail::told_incoming(told));
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_STATE_HPP
