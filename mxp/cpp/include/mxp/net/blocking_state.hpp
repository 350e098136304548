/// The state of a blocking client, and of its streams.
#ifndef MXP_NET_BLOCKING_STATE_HPP
#define MXP_NET_BLOCKING_STATE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "../engine/ending.hpp"
#include "../engine/endpoint.hpp"
#include "../engine/failure_text.hpp"
#include "../engine/inbox.hpp"
#include "../engine/line.hpp"
#include "../engine/names.hpp"
#include "../engine/repeat.hpp"
#include "../engine/retry.hpp"
#include "agents.hpp"
#include "blocking.hpp"
#include "blocking_bytes.hpp"
#include "draws.hpp"
#include "meters.hpp"
#include "observation.hpp"
#include "outage.hpp"
#include "transport/shm/account.hpp"
#include "transports.hpp"

namespace mxp::net {

struct blocking_stream::state {
    std::uint64_t id = 0;
    /// Of the connection.
    std::uint64_t link = 0;
    /// Whether the session watches over its deadline.
    bool has_deadline = false;
    std::deque<std::vector<std::byte>> chunks{};
    bool has_peer_finished = false;
    bool has_finished = false;
    std::optional<failure> failed{};
    bool is_over = false;
    engine::credit credit{};
    detail::endings<answer> ends{};
    /// The method and the address, for messages about its failure.
    engine::subject subject{};
    /// Counts it, until it has ended.
    detail::request_meter measured{};

    /// Tells the end once.
    void end(std::optional<failure> why);
};

namespace detail {

/// A connection of a blocking client, with its requests in flight.
struct blocking_link {
    using clock = std::chrono::steady_clock;

    /// Its number among the connections of the client.
    std::uint64_t number_ = 0;
    /// Why the last session has ended.
    failure ended_{};
    /// Whether requests could be made on this connection.
    bool was_ready_ = false;
    clock::time_point born_{clock::now()};
    std::unique_ptr<session::session> session_{};
    engine::service_numbers numbers_{};
    std::unique_ptr<blocking_bytes> bytes_{};
    bool is_draining_ = false;
    /// Whether a write had to wait.
    bool has_waited_ = false;
    /// Whether frames have left the session's queue in this turn.
    bool has_made_room_ = false;
    std::string trouble_{"not connected"};
    session::batch batch_{};
    std::vector<iovec> pieces_{};
    std::vector<std::byte> unread_{};
    std::unordered_map<std::uint64_t, std::shared_ptr<blocking_stream::state>> streams_{};
};

}  // namespace detail

/// Makes the requests of a blocking client, and has its connections.
struct blocking_caller : detail::blocking_link {
    using failure_result = mxp::unexpected_of<failure>;

    blocking_caller(std::optional<address> address, std::string place, blocking_options options)
        : at_(std::move(address)),
          place_(std::make_shared<const std::string>(std::move(place))),
          options_(std::move(options)),
          never_(detail::unable(at_, *place_, options_)),
          outage_(*place_, options_.logger),
          endpoint_(std::chrono::milliseconds{5}, std::chrono::seconds{1}, *place_) {
        options_.shm.account = std::make_shared<detail::shm_account>(options_.shm, options_.logger);
        if (options_.telemetry != nullptr) {
            options_.interceptors.insert(
                options_.interceptors.begin(),
                detail::told_outgoing(options_.telemetry, meters_,
                                      at_ ? detail::place{{*at_}} : detail::place{}));
        }
    }

    blocking_caller(const blocking_caller&) = delete;
    blocking_caller& operator=(const blocking_caller&) = delete;
    ~blocking_caller() {
        drop();
        while (!old_.empty()) {
            resume(0);
            drop();
        }
    }

    /// Makes a call, and waits for its answer.
    outcome<reply> call(const method& method, bytes_view value, call_options options = {}) {
        const auto tell = std::move(options.on_metadata);
        auto came =
            ask(method, session::purpose::call, value, std::move(options),
                [this](const session::request& request, session::value body, const call_options&) {
                    return session_->call(request, std::move(body), now());
                });
        if (came && tell) {
            tell(came->metadata);
        }
        return came;
    }

    /// Sends an event, and waits until it was written, or taken if it requires an Ack.
    outcome<reply> event(const method& method, bytes_view value, event_options options = {}) {
        return ask(method, session::purpose::event, value, std::move(options),
                   [this](const session::request& request, session::value body,
                          const event_options& settings) {
                       auto id = session_->event(request, settings.requires_ack, settings.full,
                                                 std::move(body), now());
                       if (id && !settings.requires_ack) {
                           id = 0;
                       }
                       return id;
                   });
    }

    /// Sends events, one after the other, until one fails.
    outcome<void> events(const method& method, const packed_values& values, event_options options);

    /// Opens a stream; one that `is_final` sends nothing but its first value. Others can be opened
    /// beside it, and calls be made.
    outcome<blocking_stream> open(const method& method, bytes_view value, call_options options = {},
                                  bool is_final = false);

    /// Makes this program known by a name, with its capabilities, and returns the time that the
    /// lease lasts. It ends with the connection.
    outcome<std::chrono::microseconds> register_agent(std::string_view name,
                                                      const std::vector<std::string>& capabilities,
                                                      std::chrono::microseconds lease) {
        const std::vector<std::string_view> can(capabilities.begin(), capabilities.end());
        const auto came = ask_agents(
            [&] { return session_->register_agent(name, can, detail::lease_us(lease), now()); });
        return came ? detail::lease_of(came->value)
                    : outcome<std::chrono::microseconds>{failure_result{came.error()}};
    }
    /// Renews a lease, and returns how long it lasts.
    outcome<std::chrono::microseconds> heartbeat(std::string_view name) {
        const auto came = ask_agents([&] { return session_->heartbeat(name, now()); });
        return came ? detail::lease_of(came->value)
                    : outcome<std::chrono::microseconds>{failure_result{came.error()}};
    }
    /// Finds the agents that can do something, or all if it is empty.
    outcome<std::vector<agent>> discover(std::string_view capability) {
        const auto came = ask_agents([&] { return session_->discover(capability, now()); });
        return came ? detail::agents_of(came->value)
                    : outcome<std::vector<agent>>{failure_result{came.error()}};
    }

    /// The counters of its requests by their methods, and of repeated requests.
    [[nodiscard]] session::statistics stats() const {
        session::statistics made;
        repetitions_.add_to(made);
        meters_->add_to(made);
        made.shm_fallbacks += options_.shm.account->fallbacks();
        return made;
    }

    /// A failure of a request that was not made.
    [[nodiscard]] failure explained(const method& method, failure why) const {
        return subject_of(method).explained(std::move(why), clock::now());
    }

    /// How much is read at once.
    static constexpr std::size_t read_bytes = 65536;
    /// How much is written at once, but for the last frame of it.
    static constexpr std::size_t write_bytes = 65536;

    /// How a request that was made has ended.
    struct ending {
        bool has_ended = false;
        /// Whether interceptors have been told.
        bool is_told = false;
        std::variant<reply, failure> result{};
    };

    [[nodiscard]] std::uint64_t now() const {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - born_).count());
    }

    /// Shows a request to the interceptors, makes it, and waits for its end.
    template <class Options, class Make>
    outcome<reply> ask(const method& method, session::purpose purpose, bytes_view value,
                       Options options, Make make);
    template <class Make>
    outcome<reply> repeat(clock::time_point deadline, Make make);
    /// Makes a request on a connection that is there by then. An id of 0 belongs to a request that
    /// ends as soon as it is written.
    template <class Options, class Make>
    outcome<std::uint64_t> request(const method& method, clock::time_point deadline,
                                   session::value& body, const Options& options, Make& make);
    [[nodiscard]] std::optional<failure> write_events(const method& method,
                                                      const packed_values& values,
                                                      std::size_t& next,
                                                      const event_options& options);
    template <class Make>
    outcome<reply> ask_agents(Make make);
    outcome<reply> await(clock::time_point until);
    /// The longest time of a request.
    [[nodiscard]] std::chrono::microseconds most(const call_options& options) const {
        return options.deadline.count() > 0 ? options.deadline : most(policy(options));
    }
    [[nodiscard]] std::chrono::microseconds most(const event_options& options) const {
        return most(policy(options));
    }
    [[nodiscard]] std::chrono::microseconds most(const std::optional<retry_policy>& policy) const {
        return policy && policy->timeout.count() > 0 ? policy->timeout : options_.patience;
    }
    /// When a request is made again.
    [[nodiscard]] std::optional<retry_policy> policy(const call_options& options) const {
        return options.retry ? options.retry : options_.retry;
    }
    [[nodiscard]] std::optional<retry_policy> policy(const event_options& options) const {
        return !options.requires_ack ? std::nullopt
               : options.retry       ? options.retry
                                     : options_.retry;
    }
    [[nodiscard]] engine::subject subject_of(const method& method,
                                             std::chrono::microseconds most = {},
                                             clock::time_point start = {}) const {
        return {std::string{method.service},
                method.number,
                std::string{method.name},
                place_,
                most,
                start};
    }
    /// Counts requests that begin.
    [[nodiscard]] detail::request_meter measure(const method& method,
                                                std::uint64_t count = 1) const {
        return detail::meters::begin(meters_,
                                     {session::side::client, method.service, method.number},
                                     method.name, clock::now(), count);
    }
    [[nodiscard]] failure ending_of(const session::failure& why) const;
    [[nodiscard]] outcome<reply> late();
    [[nodiscard]] outcome<void> connect(clock::time_point deadline);
    [[nodiscard]] outcome<void> open(clock::time_point deadline);
    void has_failed(failure why);
    void rest();
    void turn(clock::time_point deadline);
    [[nodiscard]] bool write();
    void read();
    void tell(bytes_view come);
    void lose(std::error_code why);
    void drop();
    void set_aside();
    void resume(std::size_t old);
    void pass_until(clock::time_point end);
    [[nodiscard]] bool is_repeatable(const failure& why, engine::repeats& repeats,
                                     clock::time_point deadline);

    template <class Event>
    void handle(const Event& /*of*/) {}
    void handle(const session::in::ready& event);
    void handle(const session::in::response& event);
    void handle(const session::in::ended& event);
    void handle(const session::in::acked& event);
    void handle(const session::in::chunk& event);
    void handle(const session::in::chunks& event);
    void handle(const session::in::finished& event);
    void handle(const session::in::draining& /*of*/);
    void handle(const session::in::end& event) { ended_ = failure_of(event.why); }

    std::optional<address> at_;
    /// The address, as it was given. Streams share it.
    std::shared_ptr<const std::string> place_;
    blocking_options options_;
    /// Why every request fails.
    std::optional<failure> never_;
    detail::outage_log outage_;
    /// The attempts to have a connection, and when the next may be made.
    engine::endpoint endpoint_;
    clock::time_point due_{};
    /// Connections whose peer takes no more requests, and that have streams.
    std::vector<std::unique_ptr<detail::blocking_link>> old_;
    /// How many connections there were.
    std::uint64_t links_ = 0;
    detail::draws draws_{};
    engine::retries repetitions_{};
    std::shared_ptr<detail::meters> meters_ = std::make_shared<detail::meters>();
    /// The request that is waited for.
    std::uint64_t id_ = 0;
    ending ending_;
    /// The functions that are to be told its end.
    detail::endings<answer> ends_;
};

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_STATE_HPP
