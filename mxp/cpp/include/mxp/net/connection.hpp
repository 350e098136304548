/// A session with what carries its bytes.
#ifndef MXP_NET_CONNECTION_HPP
#define MXP_NET_CONNECTION_HPP

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../engine/ending.hpp"
#include "../engine/load.hpp"
#include "../engine/names.hpp"
#include "../engine/order.hpp"
#include "../engine/outlier.hpp"
#include "../engine/window.hpp"
#include "agents.hpp"
#include "budget.hpp"
#include "bulk_reads.hpp"
#include "byte_stream.hpp"
#include "connection_options.hpp"
#include "differences.hpp"
#include "observation.hpp"
#include "request.hpp"
#include "responder_state.hpp"
#include "services.hpp"
#include "stream_state.hpp"
#include "unsaid.hpp"

namespace mxp::net {

/// Drives a session: all in its turns, on the threads of the `io_context`. Every call to it is
/// followed by writing what there is, all at once, so that what is done in one go is written in one
/// go.
class connection final : public byte_stream::handler,
                         public detail::budget::member,
                         public detail::bulk_reads::member,
                         public std::enable_shared_from_this<connection> {
   public:
    /// The owner of the connection. It is told until `detach`.
    class owner {
       public:
        virtual ~owner() = default;
        virtual void on_ready(connection& /*of*/) {}
        /// The peer takes no new requests.
        virtual void on_draining(connection& /*of*/) {}
        /// The session has ended, and the connection will be gone.
        virtual void on_ended(connection& /*of*/, const failure& /*why*/) {}
        /// More can be queued.
        virtual void on_room(connection& /*of*/) {}
        virtual void on_gone(connection& carrier, const failure& why) = 0;
    };

    using options = connection_options;

    using answer_handler = std::function<void(const answer&)>;

    connection(asio::io_context& io, std::shared_ptr<detail::strand> turns,
               std::shared_ptr<byte_stream> bytes, options settings, std::weak_ptr<owner> holder)
        : context_(io),
          turns_(std::move(turns)),
          timer_(io),
          bytes_(std::move(bytes)),
          owner_(std::move(holder)),
          born_(std::chrono::steady_clock::now()),
          options_(std::move(settings)),
          session_(config_of(options_), options_.role, 0),
          outlier_(options_.role) {
        if (options_.budget != nullptr) {
            options_.budget->join(*this);
        }
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() override {
        leave_others();
        if (const auto whose = back_.lock()) {
            whose->on_gone(*this, why_);
        }
    }

    void start() {
        settle();
        read();
    }
    /// Tells the peer why it is not let in, in place of all that it may ask.
    void reject(const failure& why);

    /// The methods that are refused, and the types that were not compared.
    [[nodiscard]] detail::differences differences() const noexcept {
        return {session_.differences(), session_.uncompared()};
    }
    /// Why requests of a method of the peer's are refused; null if they aren't.
    [[nodiscard]] const session::difference* find_difference(std::uint16_t service,
                                                             std::uint16_t method) const {
        return session_.find_difference(false, service, method);
    }

    /// Makes a call. A call that the session refuses can be made later, or never.
    session::result<std::uint64_t> call(const session::request& request, session::value body,
                                        answer_handler then) {
        const auto at = request.deadline > 0 ? now() : recent();  // a deadline is counted from now
        const auto id = session_.call(request, std::move(body), at);
        return waited(id, std::move(then));
    }

    session::result<std::uint64_t> event(const session::request& request, bool requires_ack,
                                         session::when_full full, session::value body,
                                         answer_handler then) {
        const auto id = session_.event(request, requires_ack, full, std::move(body), recent());
        if (!id || requires_ack) {
            return waited(id, std::move(then));
        }
        given_later_.push_back({*id == 0 ? 0 : session_.last_frame(), std::move(then)});
        touch();
        return id;
    }

    /// Sends events of one request, from a place on: as many as share a frame. Returns how many.
    session::result<std::size_t> events(const session::request& request, session::when_full full,
                                        const packed_values& values, std::size_t start,
                                        answer_handler then) {
        const auto id = event(request, false, full, session::value{values[start]}, std::move(then));
        if (!id) {
            return session::unexpected{id.error()};
        }
        std::size_t to = start + 1;
        while (to < values.size() && session_.join(*id, values[to])) {
            ++to;
        }
        return to - start;
    }

    /// Opens a stream with the end that is there for it.
    session::result<std::uint64_t> open(const session::request& request, bool is_final,
                                        session::value body, const stream& end) {
        const auto id = session_.open(request, {end.state_->inbox.credit.most, options_.window},
                                      is_final, std::move(body), now());
        if (id) {
            end.state_->has_finished = is_final;
            end.state_->link = weak_from_this();
            end.state_->id = *id;
            end.state_->is_called = false;
            streams_.emplace(*id, end.state_);
            proceed_later(end.state_);
        }
        touch();
        return id;
    }

    /// Makes an agent request by a function of the session and the time.
    template <class Make>
    session::result<std::uint64_t> ask_agents(const Make& make, answer_handler then) {
        return waited(make(session_, now()), std::move(then));
    }

    void cancel(std::uint64_t id) {
        static_cast<void>(session_.cancel(id, now()));
        touch();
    }

    /// How many requests of this side's have not ended.
    [[nodiscard]] std::size_t in_flight() const noexcept { return session_.in_flight_here(); }
    /// Whether requests are to be made on other connections, if there are enough.
    [[nodiscard]] bool is_left_out() const { return outlier_.is_left_out(&clock::now); }
    /// The address of the other side, where it is known.
    [[nodiscard]] const std::shared_ptr<const std::string>& peer() const noexcept {
        return options_.peer;
    }
    /// Whether a request of this side's has not ended.
    [[nodiscard]] bool is_waited_for() const noexcept {
        return !pending_.empty() || !streams_.empty() || !given_later_.empty();
    }

    /// Takes no new requests; when none is left, the connection is gone.
    void drain(std::string_view reason) {
        static_cast<void>(session_.drain(reason, now()));
        touch();
    }

    /// A client of the connection, for the side that was asked. It is kept as long as this is.
    [[nodiscard]] std::shared_ptr<net::client> back();
    [[nodiscard]] asio::io_context& context() noexcept { return context_; }

    /// The strand in whose turns the connection is used, on any thread.
    [[nodiscard]] std::shared_ptr<detail::strand> turns() const override { return turns_; }

    /// Cuts the connection off.
    void close() { lose(asio::error::operation_aborted); }
    /// Tells its owner nothing any more.
    void detach() noexcept { owner_.reset(); }

    /// The number of a service that the peer serves.
    [[nodiscard]] std::optional<std::uint16_t> number_of(std::string_view service) const {
        return numbers_.find(service);
    }
    /// Why a client that lost it can't be served later either, if it can't.
    [[nodiscard]] std::optional<failure> refusal() const { return bytes_->refusal(lost_by_); }
    /// The services that the peer serves, in the order of its Hello.
    [[nodiscard]] std::vector<std::string> served() const { return numbers_.names(); }
    /// Why the session makes no request.
    [[nodiscard]] failure refusal_of(session::kind why) const {
        return engine::refusal_of(why, session_);
    }
    [[nodiscard]] bool was_ready() const noexcept { return was_ready_; }
    /// Whether requests can be made now.
    [[nodiscard]] bool is_open() const noexcept {
        return session_.ready() && !is_draining_ && !is_broken_;
    }
    [[nodiscard]] bool is_full() const noexcept { return session_.is_full(); }
    /// Whether the session has ended.
    [[nodiscard]] bool has_ended() const noexcept { return session_.has_ended(); }
    [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }
    /// Whether the peer has said nothing but that it lets nobody in.
    [[nodiscard]] bool is_rejected() const noexcept { return is_rejected_; }
    /// For any thread.
    [[nodiscard]] session::statistics stats() const {
        session::statistics made = session_.counters();
        made.held_bytes = static_cast<std::size_t>(held_now_);
        made.outliers = outlier_.times();
        return made;
    }
    /// When it has looked at the time last.
    [[nodiscard]] std::chrono::steady_clock::time_point latest() const noexcept {
        return born_ + std::chrono::microseconds{static_cast<std::int64_t>(latest_)};
    }
    void on_budget(std::chrono::milliseconds pause) override;
    void on_overrun() override;
    void on_crowded() override;
    void on_turn() override;

    void on_bytes(bytes_view come) override;
    void on_written(std::size_t n, bool has_waited) override;
    void on_unwritten(const std::error_code& why) override;
    void on_hang_up() override;
    void on_lost(const std::error_code& why) override { lose(why); }

   private:
    friend class responder;
    friend class stream;

    using clock = std::chrono::steady_clock;

    /// How much is written at once, but for the last frame of it.
    static constexpr std::size_t write_bytes = 65536;
    /// The time between two looks for a hangup of a peer that is not read.
    static constexpr std::uint64_t look_us = 1'000'000;

    /// A call of the peer's that was not answered.
    struct open_call {
        std::weak_ptr<responder::state> answers;
        const net::service* service;
        std::uint16_t method;
        detail::request_meter measured;
        /// Why nobody waits for it any more, if that is so.
        std::optional<session::kind> cancelled{};
        /// Is told how it has ended. There may be nobody.
        std::function<void(answer_end&)> over{};
    };

    static session::config config_of(const options& settings) {
        session::config made = settings.config;
        if (settings.services != nullptr) {
            made.services = settings.services->names();
        }
        made.takes_agents = settings.agents != nullptr;
        return made;
    }

    [[nodiscard]] std::uint64_t now() {
        const auto passed = std::chrono::steady_clock::now() - born_;
        latest_ = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
        return latest_;
    }

    /// The time, as it was looked at last in this turn: what comes and goes together has one.
    [[nodiscard]] std::uint64_t recent() { return is_busy_ || is_posted_ ? latest_ : now(); }

    session::result<std::uint64_t> waited(session::result<std::uint64_t> id, answer_handler then) {
        if (id) {
            pending_.emplace(*id, std::move(then));
        }
        touch();
        return id;
    }

    /// Tells the owner of the connection, and the client that asks on it.
    template <class Tell>
    void tell_owners(Tell tell) {
        if (const auto whose = owner_.lock()) {
            tell(*whose);
        }
        if (const auto whose = back_.lock()) {
            tell(*whose);
        }
    }

    // connection_driver.hpp
    void read();
    void await_turn();
    void go_on();
    void take(bytes_view come);
    void take_unread();
    void touch();
    void settle();
    void tell();
    void make_room();
    bool flush();
    void write();
    void wrote(std::size_t n);
    void finish();
    void linger();
    void tell_given();
    void fail_unsent(const failure& why);
    [[nodiscard]] std::uint64_t write_due() const;
    void arm();
    void on_timer();
    void lose(const std::error_code& why);
    template <class Tell>
    void observation(Tell tell);

    // connection_budget.hpp
    [[nodiscard]] std::size_t held() const;
    [[nodiscard]] std::size_t extras() const;
    [[nodiscard]] std::size_t backlog() const;
    [[nodiscard]] std::size_t orphaned() const;
    void await_hang_up();
    void look_for_hang_up();
    void weigh();
    void pause(bool is_paused);
    [[nodiscard]] bool overrun_largest();
    void hold_unsent(stream::state& stream);
    void leave_others();
    void note_read(std::size_t n);

    // connection_handler.hpp
    /// Handles what the session tells.
    template <class In>
    void heed(const In& event) {
        outlier_.note(event, latest());
        handle(event);
    }
    void handle(const session::in::ready& event);
    void handle(const session::in::call& event);
    void handle(const session::in::open& event);
    void handle(const session::in::event& event);
    void handle(const session::in::events& event);
    void handle(const session::in::response& event);
    void handle(const session::in::ended& event);
    void handle(const session::in::chunk& event);
    void handle(const session::in::chunks& event);
    void handle(const session::in::finished& event);
    void handle(const session::in::granted& event);
    void handle(const session::in::acked& event);
    void handle(const session::in::cancelled& event);
    void handle(const session::in::draining& event);
    void handle(const session::in::registration& event);
    void handle(const session::in::heartbeat& event);
    void handle(const session::in::discovery& event);
    void answer_lease(std::uint64_t id, const session::result<registry::Lease>& lease);
    void handle(const session::in::end& event);
    [[nodiscard]] request request_of(const control::CallHeadView& head, bytes_view value);
    void refuse(std::uint64_t id, const net::service& service, std::string_view kind,
                const control::CallHeadView& head);
    void report(const engine::subject& subject, const failure& why, bool always = false) const;
    void report_call(std::uint64_t id, const failure& why) const;
    /// Counts requests of the peer's that have just come, and that the connection has.
    [[nodiscard]] detail::request_meter measure(const net::service& service, std::uint16_t method,
                                                std::string_view name,
                                                std::size_t count = 1) const {
        return options_.meters->begin_here({session::side::server, service.name(), method}, name,
                                           latest(), count);
    }
    template <class Handle>
    [[nodiscard]] bool handling(const net::service& service, std::uint16_t method,
                                std::string_view name, Handle handle);
    [[nodiscard]] failure ending_of(const session::failure& why) const;
    [[nodiscard]] engine::subject subject_of(const net::service& service, std::uint16_t method,
                                             std::string_view name) const;
    void answer_with(std::uint64_t id, const answer& answer);
    std::optional<failure> serve(const net::service& service,
                                 const net::service::handler_entry<event_entry>& entry,
                                 const request& request);
    template <class Next>
    std::size_t serve_each(const control::CallHeadView& head, std::size_t count, Next next);
    void serve_rest();
    void drop_events();
    void serve_several(const net::service& service,
                       const net::service::handler_entry<event_entry>& entry,
                       const request& request, sdp::span<const bytes_view> values);
    void respond(std::uint64_t id, session::value body, metadata entries);
    void fail(std::uint64_t id, const failure& why);
    void release(std::uint64_t id);
    void forget(std::uint64_t id, const failure* why);

    // stream_chunks.hpp
    [[nodiscard]] std::shared_ptr<stream::state> find_stream(std::uint64_t id) const;
    void proceed(const std::shared_ptr<stream::state>& stream);
    void proceed_later(const std::shared_ptr<stream::state>& stream);
    void send_unsent(const std::shared_ptr<stream::state>& stream);
    [[nodiscard]] bool send_granted(const std::shared_ptr<stream::state>& stream);
    [[nodiscard]] bool send_asked(const std::shared_ptr<stream::state>& stream);
    [[nodiscard]] bool send_now(const std::shared_ptr<stream::state>& stream, session::value& body);
    void send_several(const std::shared_ptr<stream::state>& stream,
                      sdp::span<const bytes_view> bodies);
    void tell_chunks(const std::shared_ptr<stream::state>& stream);
    void tell_kept(const std::shared_ptr<stream::state>& stream);
    void tell_several(const std::shared_ptr<stream::state>& stream,
                      sdp::span<const bytes_view> values);
    void took(stream::state& stream, std::size_t messages, std::size_t n);
    void keep(const std::shared_ptr<stream::state>& stream, engine::parcel values);
    void end_stream(const std::shared_ptr<stream::state>& stream, const failure* why);
    void end_if_over(const std::shared_ptr<stream::state>& stream);
    void cancel_stream(const std::shared_ptr<stream::state>& stream, const failure& why);

    asio::io_context& context_;
    std::shared_ptr<detail::strand> turns_;
    asio::steady_timer timer_;
    /// When the timer goes off.
    std::uint64_t armed_at_ = session::never;
    std::shared_ptr<byte_stream> bytes_;
    std::weak_ptr<owner> owner_;
    /// The client that asks the peer, where that has connected, and is told as an owner.
    std::weak_ptr<owner> back_{};
    std::shared_ptr<net::client> back_client_{};
    std::chrono::steady_clock::time_point born_;
    std::uint64_t latest_ = 0;
    options options_;
    session::session session_;
    failure why_{};
    /// The text of the socket's error when it was lost.
    std::string trouble_{"the connection was closed here"};
    std::error_code lost_by_{};
    engine::service_numbers numbers_;

    bool is_reading_ = false;
    /// Whether a place in the order of reads is waited for.
    bool awaits_read_ = false;
    engine::turn turn_;
    /// The bytes that the session didn't take before something is written [MXP-9.4], or before the
    /// next turn.
    std::vector<std::byte> unread_;
    bool is_writing_ = false;
    session::batch batch_;
    std::vector<asio::const_buffer> pieces_;
    std::size_t first_piece_ = 0;
    /// When something was written, or began to be.
    std::uint64_t progress_ = 0;
    std::optional<std::uint64_t> linger_until_;
    bool has_finished_ = false;
    /// Whether nothing can be written any more, and why.
    bool is_broken_ = false;
    std::error_code broken_by_{};

    engine::load load_;
    session::counter held_now_;
    engine::outlier outlier_;
    bool may_read_ = true;
    bool is_paused_ = false;
    /// Whether its last read was a large one, and it has a place among the few that read anyway.
    bool is_bulky_ = false;
    bool has_place_ = false;
    /// Whether the peer's going is awaited, and has been told; and when it is looked for.
    bool is_watched_ = false;
    bool has_hung_up_ = false;
    std::uint64_t look_at_ = session::never;
    bool is_weighing_ = false;
    /// Why a stream was ended for its chunks.
    std::string overrun_text_;

    bool was_ready_ = false;
    bool has_ended_ = false;
    bool is_rejected_ = false;
    bool is_draining_ = false;
    bool is_gone_ = false;
    /// Whether `settle` follows anyway.
    bool is_busy_ = false;
    bool is_posted_ = false;

    std::unordered_map<std::uint64_t, answer_handler> pending_;
    std::unordered_map<std::uint64_t, open_call> open_calls_;
    std::unordered_map<std::uint64_t, std::shared_ptr<stream::state>> streams_;
    std::vector<detail::late_answer> late_answers_;
    std::deque<detail::late_end> given_later_;
    /// Streams that wait for room in the queue, or were asked to do something.
    std::vector<std::uint64_t> called_;
};

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTION_HPP
