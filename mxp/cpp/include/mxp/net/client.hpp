/// Asks a peer, and connects again when the connection is lost.
#ifndef MXP_NET_CLIENT_HPP
#define MXP_NET_CLIENT_HPP

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client_options.hpp"
#include "connection.hpp"
#include "line.hpp"
#include "outage.hpp"
#include "transports.hpp"

namespace mxp::net {

/// Talks to one address, or to several, on the threads that run its `io_context`, and is used on
/// any. Functions that it is given are called one at a time. Every request ends once: its function
/// is called, by `close` at the latest, or soon after if another thread is at work. What the peer
/// has not acted on, since it takes no more requests or its connection is lost, is made again on
/// the next one; a stream only while nothing was sent on it and nothing has come [MXP-14.6].
/// Options that can't be fail every request with InvalidArgument.
class client {
   public:
    using done = std::function<void(const answer&)>;

    client(asio::io_context& io, const address& at, client_options options = {})
        : client(io, std::vector<detail::destination>{{at, to_string(at)}}, std::move(options)) {}
    /// A text that is no address fails every request with `address_invalid`.
    client(asio::io_context& io, std::string_view at, client_options options = {})
        : client(io, std::vector<detail::destination>{{parse_address(at), std::string{at}}},
                 std::move(options)) {}
    /// One of several addresses, with connections to each. A request goes to that with fewer in
    /// flight of two that are chosen at random among those that are there [MXP-14.9]. Without any
    /// address every request fails with `address_invalid`.
    client(asio::io_context& io, const std::vector<std::string>& addresses,
           client_options options = {})
        : client(io, detail::destinations(addresses), std::move(options)) {}
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client() {
        all_->turns->run([all = all_] { all->close(); });
    }

    /// Makes a call; the result is for `cancel`. The function is called later.
    std::uint64_t call(const method& of, session::value body, call_options options, done then) {
        const std::uint64_t ticket = all_->next_ticket();
        all_->call(ticket, of, std::move(body), std::move(options), std::move(then));
        return ticket;
    }
    std::uint64_t call(std::string_view service, std::uint16_t method, session::value body,
                       call_options options, done then) {
        return call({service, method, {}}, std::move(body), std::move(options), std::move(then));
    }

    /// Sends an event. The function is called when it was given to the connection, or, if it
    /// requires an Ack, when the peer's handler has taken it.
    std::uint64_t event(const method& of, session::value body, event_options options, done then) {
        const std::uint64_t ticket = all_->next_ticket();
        all_->event(ticket, of, std::move(body), std::move(options), std::move(then));
        return ticket;
    }
    std::uint64_t event(std::string_view service, std::uint16_t method, session::value body,
                        event_options options, done then) {
        return event({service, method, {}}, std::move(body), std::move(options), std::move(then));
    }

    /// Opens a stream, which can be used at once; one that `is_final` sends nothing but its first
    /// value.
    stream open(const method& of, session::value body, call_options options,
                bool is_final = false) {
        return all_->open(of, std::move(body), std::move(options), is_final);
    }
    stream open(std::string_view service, std::uint16_t method, session::value body,
                call_options options) {
        return open({service, method, {}}, std::move(body), std::move(options));
    }

    /// Makes this program known by a name, with what it can do, and tells how long the lease lasts.
    /// It ends with the connection, so that a program registers again when its heartbeat is refused
    /// with `agent_unknown`. The result is for `cancel`.
    std::uint64_t
    register_agent(std::string name, std::vector<std::string> capabilities,
                   std::chrono::microseconds lease,
                   std::function<void(const outcome<std::chrono::microseconds>&)> then,
                   std::chrono::microseconds deadline = {}) {
        return all_->agents(
            [name = std::move(name), can = std::move(capabilities),
             lease = detail::lease_us(lease)](session::session& one, std::uint64_t now) {
                const std::vector<std::string_view> shown(can.begin(), can.end());
                return one.register_agent(name, shown, lease, now);
            },
            detail::lease_of, std::move(then), deadline);
    }
    /// Renews a lease, and tells how long it lasts.
    std::uint64_t heartbeat(std::string name,
                            std::function<void(const outcome<std::chrono::microseconds>&)> then,
                            std::chrono::microseconds deadline = {}) {
        return all_->agents(
            [name = std::move(name)](session::session& one, std::uint64_t now) {
                return one.heartbeat(name, now);
            },
            detail::lease_of, std::move(then), deadline);
    }
    /// Finds the agents that can do something, or all if it is empty.
    std::uint64_t discover(std::string capability,
                           std::function<void(const outcome<std::vector<agent>>&)> then,
                           std::chrono::microseconds deadline = {}) {
        return all_->agents(
            [capability = std::move(capability)](session::session& one, std::uint64_t now) {
                return one.discover(capability, now);
            },
            detail::agents_of, std::move(then), deadline);
    }

    /// A stream that was never opened, and ends with a failure.
    stream refused(failure why) {
        const stream made{all_->turns};
        made.state_->is_own = true;
        post([made, why = std::move(why)] { made.fail(why); });
        return made;
    }

    /// A failure of a request that was not made.
    [[nodiscard]] failure explained(const method& of, failure why) const {
        return all_->subject_of(of).explained(std::move(why));
    }

    /// Has a function called in a turn of its own.
    template <class Function>
    void post(Function then) {
        all_->turns->post(std::move(then));
    }

    /// Takes a call or event back, which ends with `cancelled`.
    void cancel(std::uint64_t ticket) {
        all_->turns->run([all = all_, ticket] { all->cancel(ticket); });
    }

    /// Makes no new requests, which end with `session_closed`, and calls `then` when those that
    /// were made have ended and the connection is closed. What is left after `most` is cut off.
    void drain(std::string_view reason, std::chrono::milliseconds most,
               std::function<void()> then) {
        all_->turns->run(
            [all = all_, why = std::string{reason}, most, then = std::move(then)]() mutable {
                all->drain(std::move(why), most, std::move(then));
            });
    }

    /// Cuts the connection off, and connects no more. What is in flight ends. That of a request
    /// (`request::client`) has a connection that is another's, and goes on.
    void close() {
        all_->turns->run([all = all_] {
            if (!all->is_single) {
                all->close();
            }
        });
    }

    /// Whether requests can be sent now.
    [[nodiscard]] bool is_connected() const noexcept { return all_->is_connected; }

    /// The counters of all connections there were.
    [[nodiscard]] session::statistics stats() const {
        const std::lock_guard<std::mutex> lock{all_->mutex};
        session::statistics made = all_->gone;
        for (const auto& to : all_->links) {
            if (to->current) {
                made.add(to->current->stats());
            }
            for (const auto& one : to->draining) {
                made.add(one->stats());
            }
        }
        all_->repetitions.add_to(made);
        if (!all_->is_single) {  // else whoever has the connection counts its methods
            all_->meters->add_to(made);
        }
        return made;
    }

   private:
    friend class connection;

    using clock = std::chrono::steady_clock;

    struct state;
    /// Of a connection that another has.
    explicit client(std::shared_ptr<state> all) : all_(std::move(all)) {}

    client(asio::io_context& io, std::vector<detail::destination> to, client_options options)
        : all_(std::make_shared<state>(io, std::move(options))) {
        for (const detail::destination& one : to) {
            for (std::size_t i = 0; i < std::max<std::size_t>(all_->options.connections, 1); ++i) {
                all_->links.push_back(std::make_unique<link>(*all_, one.at, one.text));
            }
        }
        all_->place = all_->links.size() == 1 ? all_->links.front()->place : nullptr;
        all_->turns->run([all = all_] {
            for (const auto& one : all->links) {
                one->connect();
            }
        });
    }

    /// A request that waits until it can be made, and is kept until it has ended.
    struct waiting : std::enable_shared_from_this<waiting> {
        std::uint64_t ticket = 0;
        session::purpose kind{};
        /// Its own deadline.
        clock::time_point until = clock::time_point::max();
        [[nodiscard]] bool has_deadline() const noexcept {
            return until != clock::time_point::max();
        }
        /// For those who are told that it failed.
        detail::subject subject{};
        session::request asked{};
        net::metadata beside{};
        session::value body{};
        /// How long to wait at most before it is asked again, after the peer had no room for it.
        std::chrono::microseconds pause{0};
        /// Of an agent request.
        std::function<session::result<std::uint64_t>(session::session&, std::uint64_t)> make{};
        /// Of an event.
        bool requires_ack = false;
        session::when_full full{};
        /// Of a stream.
        bool is_final = false;
        std::shared_ptr<stream::state> end{};
        /// Of the others. There may be none.
        done then{};

        /// Since when it waits for a connection.
        clock::time_point since{};
        /// When it is made again, and how often it was made.
        std::optional<retry_policy> policy{};
        std::size_t attempts = 1;
        bool is_idempotent = false;
        /// The functions of interceptors that are to be told its end, the outermost first.
        detail::endings<answer> ends{};
        /// The client that can make it again by a policy or for an interceptor. There may be none.
        std::weak_ptr<state> maker{};

        /// Counts it, while it is in flight; a stream counts itself.
        detail::measured measured{};

        void tell(const answer& ending);
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

    struct link;

    struct state final : std::enable_shared_from_this<state> {
        state(asio::io_context& io, client_options with,
              std::shared_ptr<detail::strand> in = nullptr)
            : context(io),
              meters(in == nullptr ? std::make_shared<detail::meters>() : nullptr),
              turns(in != nullptr ? std::move(in) : std::make_shared<detail::strand>(io)),
              options(std::move(with)),
              budget(std::make_shared<detail::budget>(
                  options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes())),
              wait_timer(io),
              leave_timer(io) {
            if (const auto names = options.services.names(); !names.empty()) {
                auto types = options.services.types();
                add_types(types, std::move(options.types));
                options.types = std::move(types);
                served = services::served(std::move(options.services));
            }
        }

        [[nodiscard]] std::uint64_t next_ticket() noexcept { return ++tickets; }
        /// Whether requests can be made, and on which connection the next one is.
        [[nodiscard]] bool is_usable() const noexcept;
        [[nodiscard]] connection* choose();
        /// Whether there is no connection, and none can be had.
        [[nodiscard]] bool is_hopeless() const noexcept;
        /// Why there is no connection.
        [[nodiscard]] failure trouble() const;

        void call(std::uint64_t ticket, const method& of, session::value body, call_options asked,
                  done then);
        void event(std::uint64_t ticket, const method& of, session::value body, event_options asked,
                   done then);
        stream open(const method& of, session::value body, call_options asked, bool is_final);
        template <class Make, class Read, class Then>
        std::uint64_t agents(Make make, Read read, Then then, std::chrono::microseconds deadline);
        template <class Options>
        [[nodiscard]] std::shared_ptr<waiting> request_of(std::uint64_t ticket, session::purpose,
                                                          const method& of, session::value& body,
                                                          Options& asked, done then);
        [[nodiscard]] detail::subject subject_of(const method& of) const {
            return {std::string{of.service}, of.number, std::string{of.name}, place};
        }
        void cancel(std::uint64_t ticket);
        void close();

        // Leaving.
        void drain(std::string reason, std::chrono::milliseconds most, std::function<void()> then);
        [[nodiscard]] bool is_leaving() const noexcept { return farewell.has_value(); }
        void leave();

        // Requests that wait.
        void begin(const std::shared_ptr<waiting>& one, std::chrono::microseconds deadline);
        void ask(const std::shared_ptr<waiting>& one);
        void measure(waiting& one) const;
        /// Whether a request was made, or can't be yet: since it is large, or at all.
        enum class attempt_at : std::uint8_t { made, too_large_now, not_now };
        attempt_at try_make(const std::shared_ptr<waiting>& one);
        session::result<std::uint64_t> make(connection& chosen, const session::request& asked,
                                            session::value body,
                                            const std::shared_ptr<waiting>& one);
        [[nodiscard]] connection::done ending(const std::shared_ptr<waiting>& one,
                                              connection& chosen);
        [[nodiscard]] bool wait_again(const failure& why, const std::shared_ptr<waiting>& one,
                                      const connection* was_on);
        void pause_before(const std::shared_ptr<waiting>& one);
        void make_after(const std::shared_ptr<waiting>& one, std::chrono::microseconds most);
        [[nodiscard]] bool repeat(const std::shared_ptr<waiting>& one, const failure& why);
        void decide(const std::shared_ptr<waiting>& one, std::optional<net::metadata> with,
                    failure why, std::size_t level);
        void make_waiting();
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
                    self->turns->run([self, then, value = std::move(value)]() mutable {
                        then(std::move(value));
                    });
                }
            };
        }
        asio::io_context& context;
        /// Shared with its connections. All but the next few is used in its turns.
        std::shared_ptr<detail::meters> meters;
        std::shared_ptr<detail::strand> turns;
        std::atomic<bool> is_connected{false};
        std::atomic<std::uint64_t> tickets{0};
        /// Guards which connections there are, for those who ask for counters.
        mutable std::mutex mutex{};
        /// The services that are served to the peer. There may be none.
        std::shared_ptr<const services> served{};
        /// Whether it asks on a connection that another has, and ends with that.
        bool is_single = false;
        /// The address, if there is one alone. Requests share it.
        std::shared_ptr<const std::string> place{};
        client_options options;
        std::shared_ptr<detail::budget> budget;
        std::vector<std::unique_ptr<link>> links{};
        asio::steady_timer wait_timer;
        asio::steady_timer leave_timer;
        clock::time_point armed_at = clock::time_point::max();
        session::statistics gone{};
        clock::time_point disconnected_since = clock::now();
        bool is_closed = false;
        /// Why no new requests are made, and who is told that none is left.
        std::optional<std::string> farewell{};
        std::function<void()> has_left{};
        bool is_making = false;
        std::minstd_rand random{std::random_device{}()};
        detail::repetitions repetitions{};
        detail::line<waiting> queue{};
        /// Those that are asked again after a pause, with its timer.
        std::unordered_map<std::uint64_t,
                           std::pair<std::shared_ptr<waiting>, std::shared_ptr<asio::steady_timer>>>
            paused{};
        /// Where requests are that were made: connection and id, by ticket.
        std::unordered_map<std::uint64_t, std::pair<std::weak_ptr<connection>, std::uint64_t>>
            made{};
    };

    /// Keeps a connection to an address, and makes another when it is lost.
    struct link final : connection::owner {
        link(state& of, const std::optional<address>& to, const std::string& text)
            : all(of),
              place(std::make_shared<const std::string>(text)),
              outage(*place, of.options.logger),
              attempt_timer(of.context),
              pause_timer(of.context) {
            if (auto never = detail::unable(to, *place, of.options)) {
                trouble = std::move(*never);
                is_able = false;
                outage.failed(trouble);
            } else {
                at = *to;
                by = detail::transports::registered().find(at.scheme);
                trouble = unavailable("nothing has answered yet", *place);
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
        void disconnected(std::string why);
        void retry();

        /// Connects anew if nothing was left that a connection would be made for.
        void wake();
        /// Gives up connecting, and what connections there are.
        [[nodiscard]] std::vector<std::shared_ptr<connection>> close();
        template <class Function>
        [[nodiscard]] auto in_turn(Function then) {
            return all.in_turn(std::move(then));
        }
        void set_current(std::shared_ptr<connection> to);
        void set_aside();

        void on_ended(connection& of, const failure& why) override;
        void on_ready(connection& of) override;
        void on_draining(connection& of) override;
        void on_room(connection& of) override;
        void on_gone(connection& of, const failure& why) override;

        state& all;
        address at{};
        std::shared_ptr<transport> by{};
        /// Whether there is anything to connect to.
        bool is_able = true;
        /// The address, as it was given. Requests share it.
        std::shared_ptr<const std::string> place;
        detail::outage outage;
        /// Gives up the attempt that is under way, if there is one.
        std::function<void()> give_up{};
        asio::steady_timer attempt_timer;
        asio::steady_timer pause_timer;
        std::shared_ptr<connection> current{};
        /// Those whose peer drains, until they are gone.
        std::vector<std::shared_ptr<connection>> draining{};
        /// Why there is no connection.
        failure trouble{};
        /// Whether that is the failure of an attempt.
        bool has_tried = false;
        /// Whether nothing is left that a connection would be made for.
        bool is_resting = false;
        std::chrono::microseconds pause{0};
        /// The pause after the last connection on which the peer has let nobody in.
        std::chrono::microseconds rejected_pause{0};
    };

    std::shared_ptr<state> all_;
};

}  // namespace mxp::net

#include "asking.hpp"
#include "choosing.hpp"
#include "connecting.hpp"
#include "leaving.hpp"
#include "waiting.hpp"

#endif  // MXP_NET_CLIENT_HPP
