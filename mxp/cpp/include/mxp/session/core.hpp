/// One side of one connection [MXP-5].
///
/// A session does no input or output, and reads no clock: its user hands it bytes and the time, and
/// asks it for events, frames and the next timeout.
///
///     mxp::session::session s{config, mxp::session::role::acceptor, now};
///     while (const auto one = s.receive(bytes, now)) {
///         if (const auto* call = std::get_if<mxp::session::in::call>(&*one)) {
///             s.respond(call->id, call->value, now);
///         }
///     }
///     while (const auto frame = s.poll_frame(now)) { ... }  // write head, value and trailer
///     // At s.next_timeout(), or earlier:
///     s.tick(now);
///
/// Times are microseconds from any start. A time that is earlier than a previous time counts as the
/// previous time. A session is used by one thread at a time.
#ifndef MXP_SESSION_CORE_HPP
#define MXP_SESSION_CORE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../reader.hpp"
#include "config.hpp"
#include "exchange.hpp"
#include "incoming.hpp"
#include "queue.hpp"
#include "result.hpp"
#include "rules_gen.hpp"
#include "schemas.hpp"
#include "stats.hpp"
#include "table.hpp"
#include "tally.hpp"
#include "values.hpp"

namespace mxp::session {

/// A request that is to be made, but for its value.
struct request {
    /// A position among the peer's services.
    std::uint16_t service = 0;
    std::uint16_t method = 0;
    /// Microseconds that are left; 0 is for ever. Events have none.
    std::uint64_t deadline = 0;
    std::optional<trace_context> trace{};
    span<const metadatum> metadata{};
};

/// The credit that is granted on a stream.
struct credit {
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
};

/// Why a user answers a request with an Error.
struct refusal {
    mxp::session::status status{};
    /// Whether nobody has acted on the request.
    bool refused = false;
    std::string_view name{};
    std::string_view text{};
    bytes_view details{};
};

class session {
   public:
    session(config config, role side, std::uint64_t now);
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    /// Takes bytes that came from the front of `input`, and returns the next event; it is to be
    /// called until there is none. Bytes that are left then are to be given again once something
    /// was sent: so much waits for the peer that nothing more is read [MXP-9.4].
    [[nodiscard]] std::optional<incoming> receive(bytes_view& input, std::uint64_t now);

    /// The next event that was made here: by `tick` or `lost`, or by a call of the user's.
    [[nodiscard]] std::optional<incoming> next();

    /// Does what is due [MXP-10.1].
    void tick(std::uint64_t now);
    /// When `tick` has something to do.
    [[nodiscard]] std::optional<std::uint64_t> next_timeout() const;

    /// Gives the next frame out, which then counts as sent.
    [[nodiscard]] std::optional<outgoing> poll_frame(std::uint64_t now);
    /// Gives frames out, to be written at once: all, or until they have so many bytes. `batch` has
    /// none if none waits.
    void poll_batch(batch& batch, std::uint64_t now,
                    std::size_t most = std::numeric_limits<std::size_t>::max());

    /// Gives back memory that is not in use. Views that `poll_frame` and `receive` have returned
    /// are invalid then.
    void shrink() noexcept;

    /// Says that the connection takes none of the given bytes [MXP-10.5].
    void stalled(std::uint64_t now);
    /// Says that the connection has taken some of the given bytes, after it had not taken all
    /// [MXP-10.6].
    void moved(std::uint64_t now) noexcept;
    /// Says that nothing is read for now, by this side's choice, and that it is again: what the
    /// peer does in time is not judged meanwhile [MXP-10.6].
    void pause(std::uint64_t now) noexcept;
    void resume(std::uint64_t now) noexcept;
    /// Ends the stream that has most of the chunks that nobody takes [MXP-15.3].
    result<void> overrun_stream(std::uint64_t id, std::uint64_t now);
    /// Ends the session of the connection that holds most [MXP-15.4].
    void overrun(std::uint64_t now);
    /// Ends the session of a peer that is not let in, who is told why, and that nobody has acted on
    /// anything.
    void reject(const refusal& why, std::uint64_t now);
    /// Says that the connection is gone [MXP-11.3].
    void lost(std::uint64_t now);

    /// Whether requests can be made.
    [[nodiscard]] bool ready() const noexcept { return phase_ == phase::ready; }
    /// Whether nothing is left to do, and the connection is to be closed.
    [[nodiscard]] bool finished() const noexcept { return phase_ == phase::finished; }
    /// Whether it has ended, for any reason.
    [[nodiscard]] bool has_ended() const noexcept { return is_over(); }
    /// Whether as much is queued as can be where a frame with such a payload is to join it, or a
    /// chunk of a stream [MXP-9.1].
    [[nodiscard]] bool is_full(std::size_t payload = 0, bool is_chunk = false) const noexcept {
        return queue_.bytes() >= most_queued(payload, is_chunk);
    }
    /// Whether nothing more is read until something was sent [MXP-9.4], or for a while [MXP-9.7].
    [[nodiscard]] bool is_deaf() const noexcept {
        return queue_.replies() >= bounds().reply_bytes || refused_.is_over();
    }
    /// How many bytes wait to be sent.
    [[nodiscard]] std::size_t queued() const noexcept { return queue_.bytes(); }
    /// How many bytes are held [MXP-15.1].
    [[nodiscard]] std::size_t held() const noexcept {
        // A session that has ended reads nothing any more.
        return backlog() + (is_over() ? 0 : reader_.buffered());
    }
    /// How many of these bytes are no part of the frame that is being read [MXP-15.3].
    [[nodiscard]] std::size_t backlog() const noexcept {
        return queue_.bytes() + peers_bytes_ + texts_ +
               exchange_held * (own_.size() + peers_.size());
    }
    /// How much memory there is beside what is held.
    [[nodiscard]] std::size_t spare() const noexcept {
        return queue_.spare_bytes() + reader_.capacity() -
               std::min(reader_.capacity(), reader_.buffered());
    }
    /// Whether this side has drained, or was told to.
    [[nodiscard]] bool is_draining() const noexcept { return has_drained_; }
    /// The last frame that was made, and whether one was given out.
    [[nodiscard]] std::uint64_t last_frame() const noexcept { return queue_.last(); }
    [[nodiscard]] bool is_given(std::uint64_t frame) const noexcept {
        return queue_.is_given(frame);
    }
    /// How many requests of this side's have a place.
    [[nodiscard]] std::size_t in_flight_here() const noexcept { return own_.size(); }
    /// How many requests of the peer's have one.
    [[nodiscard]] std::size_t in_flight_peer() const noexcept { return peers_.size(); }
    [[nodiscard]] statistics stats() const;
    /// The same but for the held bytes, for any thread.
    [[nodiscard]] statistics counters() const;
    /// The payload that was refused last with `payload_too_large`, and how many bytes it can have;
    /// 0 if a text or a list in it did not fit its length.
    [[nodiscard]] std::pair<std::size_t, std::size_t> too_large() const noexcept {
        return too_large_;
    }
    /// The methods that are refused.
    [[nodiscard]] const std::vector<difference>& differences() const noexcept {
        return schemas_.differences;
    }
    /// The names of the types of which the sides compared fingerprints alone [MXP-6.5]: the peer is
    /// of a release before 0.4, or the texts were too long.
    [[nodiscard]] const std::vector<std::string>& uncompared() const noexcept {
        return schemas_.uncompared;
    }
    /// Why requests of a method are refused, of this side's or of the peer's; null if they aren't.
    [[nodiscard]] const difference* find_difference(bool is_served, std::uint16_t service,
                                                    std::uint16_t method) const;
    [[nodiscard]] const limits& bounds() const noexcept { return config_.limits; }

    // Requests of this side's. The result is the request's id.

    result<std::uint64_t> call(const request& request, value body, std::uint64_t now);
    /// Opens a stream; `is_final` if nothing follows `body`.
    result<std::uint64_t> open(const request& request, credit credit, bool is_final, value body,
                               std::uint64_t now);
    /// Sends an event. It is 0 if that was dropped.
    result<std::uint64_t> event(const request& request, bool requires_ack, when_full full,
                                value body, std::uint64_t now);
    /// Puts the value of another event into the frame of the last event, if that has this id and
    /// the same request; false, and nothing is sent, if it can't [MXP-17.6].
    [[nodiscard]] bool join(std::uint64_t id, bytes_view body);
    result<std::uint64_t> register_agent(std::string_view name,
                                         span<const std::string_view> capabilities,
                                         std::uint64_t lease, std::uint64_t now);
    result<std::uint64_t> register_agent(const registry::Registration& registration,
                                         std::uint64_t now);
    result<std::uint64_t> heartbeat(std::string_view name, std::uint64_t now);
    result<std::uint64_t> discover(std::string_view capability, std::uint64_t now);
    result<std::uint64_t> discover(const registry::Query& query, std::uint64_t now);
    /// Takes a request back.
    result<void> cancel(std::uint64_t id, std::uint64_t now);

    // Answers of this side's.

    result<void> respond(std::uint64_t id, value body, std::uint64_t now,
                         span<const metadatum> metadata = {});
    result<void> fail(std::uint64_t id, const refusal& why, std::uint64_t now);
    /// Gives up the place of a request that has ended. A request that hasn't ended is failed.
    result<void> release(std::uint64_t id, std::uint64_t now);

    // On streams of either side.

    /// Whether a chunk with a value of `n` bytes can be sent now.
    [[nodiscard]] bool can_send(std::uint64_t id, std::size_t n) noexcept;
    /// How many bytes a chunk may have that is sure to be granted, in time [MXP-8.7]; nothing until
    /// something was granted.
    [[nodiscard]] std::optional<std::uint64_t> largest_chunk(std::uint64_t id) noexcept;
    /// Sends a chunk, and returns its number.
    result<std::uint64_t> chunk(std::uint64_t id, bool is_final, bool requires_ack, value body,
                                std::uint64_t now);
    /// Ends this side's direction.
    result<void> finish(std::uint64_t id, std::uint64_t now);
    result<void> grant(std::uint64_t id, credit more, std::uint64_t now);
    /// Says that a chunk and all before it were taken, or an event, for which `chunk` is 0.
    result<void> ack(std::uint64_t id, std::uint64_t chunk, std::uint64_t now);

    /// Says that no new requests are taken; as soon as the session is ready, if it is not.
    result<void> drain(std::string_view reason, std::uint64_t now);

   private:
    enum class phase : std::uint8_t {
        /// The peer's Hello is awaited.
        greeting,
        /// Its Layouts are.
        comparing,
        ready,
        /// An Error is left to be sent.
        ended,
        finished,
    };

    /// Why the session ended, in memory that events can refer to.
    struct ending {
        mxp::session::status status{};
        std::string name{};
        std::string text{};
        std::vector<std::byte> details{};
    };

    /// A payload that is a value alone.
    struct empty_start {};

    /// From which length on a payload is large [MXP-9.1].
    static constexpr std::size_t bulk = 16384;
    /// The bytes of an exchange, and of a text of the peer's Hello beside its own [MXP-15.1].
    static constexpr std::size_t exchange_held = 1024;
    static constexpr std::size_t text_held = 32;

    [[nodiscard]] std::size_t most_queued(std::size_t payload, bool is_chunk) const noexcept {
        const limits& set = bounds();
        return is_chunk || payload >= bulk ? std::min(set.bulk_bytes, set.queue_bytes)
                                           : set.queue_bytes;
    }

    // hello.hpp
    void greet();
    std::optional<incoming> take_hello(bytes_view payload);
    incoming make_ready(const control::HelloView& hello);

    // schema.hpp
    void compare(const control::HelloView& hello);
    [[nodiscard]] control::Tolerance tolerance() const;
    void send_layouts(const control::HelloView& hello);
    std::optional<incoming> take_layouts(bytes_view payload);
    [[nodiscard]] detail::shared_services shared_with(const control::HelloView& hello) const;
    void note_uncompared(const std::vector<const type*>& types, const control::HelloView& hello);
    [[nodiscard]] std::string intolerable(control::Tolerance least) const;
    void differ(const control::HelloView& hello);
    void refuse_method(const method_name& name, bool is_served, const detail::positions& services,
                       const std::string& why);

    // receive.hpp
    std::optional<incoming> take(const frame& frame);
    std::optional<incoming> take_body(const frame& frame);
    [[nodiscard]] bool is_expected(const frame& frame, const rule& has) const noexcept;
    [[nodiscard]] bool is_named(std::uint64_t id, id_rule rule) const noexcept;
    template <class View>
    [[nodiscard]] bool read(View& view, bytes_view payload);
    template <class View>
    [[nodiscard]] bool read_start(View& view, bytes_view payload, bytes_view& rest);
    template <class Fits>
    [[nodiscard]] exchange* find_live(std::uint64_t id, Fits fits);
    std::optional<incoming> take_drain(const frame& frame);
    std::optional<incoming> take_pong(const frame& frame);
    std::optional<incoming> take_response(const frame& frame);
    void answered(exchange& exchange);
    std::optional<incoming> take_error(const frame& frame);
    std::optional<incoming> take_cancel(const frame& frame);
    [[nodiscard]] exchange* find_receiving(std::uint64_t id, std::size_t n, std::size_t values);
    std::optional<incoming> take_chunk(const frame& frame);
    [[nodiscard]] bool read_records(records& records, bytes_view input);
    std::optional<incoming> take_chunks(const frame& frame);
    std::optional<incoming> take_close(const frame& frame);
    void overdraw(exchange& exchange);
    void stop(exchange& exchange, kind why, reason because);
    std::optional<incoming> take_credit(const frame& frame);
    std::optional<incoming> take_ack(const frame& frame);

    // serve.hpp
    std::optional<incoming> take_call(const frame& frame);
    std::optional<incoming> take_event(const frame& frame);
    std::optional<incoming> take_events(const frame& frame);
    std::optional<incoming> take_open(const frame& frame);
    std::optional<incoming> take_agent(const frame& frame);
    exchange* accept(const frame& frame, purpose purpose, std::optional<kind> wrong,
                     const std::optional<trace_context>& trace, std::uint64_t deadline);
    [[nodiscard]] std::optional<kind> unserved(const control::CallHeadView& head) const;
    void refuse(std::uint64_t id, std::uint64_t trace, kind why, bool is_refused);
    void abandon(exchange& exchange, reason why);
    void caused();
    result<exchange*> serving(std::uint64_t id);

    // request.hpp
    [[nodiscard]] std::optional<kind> unusable() const noexcept;
    [[nodiscard]] std::optional<kind> unrequestable() const noexcept;
    [[nodiscard]] std::optional<kind> unaskable(const request& request) const;
    template <class Start>
    [[nodiscard]] bool lay(std::size_t most, const Start& start, const value& body);
    template <class Start>
    [[nodiscard]] bool lay(frame_type type, const Start& start, const value& body);
    void put(const header& head, value&& body, mark mark = {});
    std::uint64_t add(header head, value&& body, mark mark);
    template <class Start>
    void send(const header& head, const Start& start, mark mark = {});
    template <class Start>
    result<std::uint64_t> ask(header head, purpose purpose, std::uint64_t deadline,
                              const Start& start, value body);
    void take_back(exchange& entry, kind why);
    [[nodiscard]] control::FarewellRef farewell_of(std::string_view reason) const;
    void farewell(std::string_view reason);
    [[nodiscard]] exchange* find(std::uint64_t id) noexcept;
    void close(exchange& entry);
    void tidy_deadlines(bool is_own);

    // stream.hpp
    [[nodiscard]] exchange* find_stream(std::uint64_t id) noexcept;
    void close_if_over(exchange& exchange);

    // ending.hpp
    template <class Kind>
    void count_refusal(Kind why);
    template <class Kind>
    void end(Kind why, std::string text = {}, bool is_refused = false);
    void say_end(bool is_refused);
    [[nodiscard]] bool is_awaited();
    void end_exchanges(bool is_remote, bool is_refused);
    void settle();

    // timing.hpp
    void advance(std::uint64_t now) noexcept { clock_ = now > clock_ ? now : clock_; }
    [[nodiscard]] std::uint64_t hello_due() const noexcept;
    [[nodiscard]] std::uint64_t frame_due() const noexcept;
    [[nodiscard]] std::uint64_t ping_due() const noexcept;
    [[nodiscard]] std::uint64_t stall_due() const noexcept;
    [[nodiscard]] std::uint64_t idle_due() const noexcept;
    [[nodiscard]] std::uint64_t linger_due() const noexcept;
    [[nodiscard]] std::uint64_t leaving_due() const noexcept;
    void stirred(frame_type type) noexcept;
    [[nodiscard]] bool is_due(std::uint64_t time) const noexcept {
        return time <= clock_ && time != never;
    }
    void expire_own();
    void expire_peers();
    void ping();

    [[nodiscard]] bool is_over() const noexcept { return phase_ >= phase::ended; }
    /// Whether an id is one that this side gives out [MXP-5.2].
    [[nodiscard]] bool is_own(std::uint64_t id) const noexcept {
        return id % 2 == (role_ == role::opener ? 1 : 0) && id != 0;
    }
    [[nodiscard]] std::uint64_t next_id() const noexcept {
        return last_own_ == 0 ? (role_ == role::opener ? 1 : 2) : last_own_ + 2;
    }
    [[nodiscard]] bool is_idle() const noexcept { return own_.size() + peers_.size() == 0; }
    void tell(incoming event) { told_.push_back(event); }

    config config_;
    role role_;
    phase phase_ = phase::greeting;
    std::uint64_t clock_;
    frame_reader reader_;
    queue queue_;
    /// The length of what `lay` wrote.
    std::size_t laid_ = 0;
    statistics stats_;
    std::pair<std::size_t, std::size_t> too_large_{0, 0};

    /// Events that were made here, and how many of them were given to the user.
    std::vector<incoming> told_;
    std::size_t given_ = 0;
    ending ending_;
    bool has_told_end_ = false;
    /// The agent request that came last, which its event points to.
    struct {
        registry::Registration registration;
        registry::Heartbeat heartbeat;
        registry::Query query;
    } asked_;

    std::uint64_t last_own_ = 0;
    std::uint64_t last_peers_ = 0;
    table<exchange> own_;
    table<exchange> peers_;
    deadlines own_deadlines_;
    deadlines peers_deadlines_;
    /// Of the payloads of requests.
    std::size_t own_bytes_ = 0;
    std::size_t peers_bytes_ = 0;
    /// The bytes that the peer's Hello counts.
    std::size_t texts_ = 0;
    /// The refusals that the peer has caused.
    tally refused_;

    /// The longest payload that the peer takes.
    std::size_t accepts_ = payload_bytes;
    checksum checksum_ = checksum::on;
    /// Whether both sides offer batches.
    bool batches_ = false;
    detail::schemas schemas_{};
    bool has_drained_ = false;
    /// Why to drain once the session is ready, and since when.
    std::optional<std::string> leaving_;
    std::uint64_t left_ = 0;
    bool is_peer_draining_ = false;
    /// The last of this side's requests that had come to the peer when it began to drain.
    std::uint64_t last_taken_ = never;
    /// Since when nothing is left to do but to show life, once this side drains.
    std::optional<std::uint64_t> rested_;

    std::uint64_t began_;
    /// When the frame began of which a part is there.
    std::optional<std::uint64_t> partial_since_;
    /// When the last byte came.
    std::uint64_t heard_;
    /// When something went out, or into an empty queue.
    std::uint64_t progress_;
    /// When something went out.
    std::uint64_t gave_;
    /// When the transport moved last.
    std::uint64_t moved_ = 0;
    /// When another frame than Ping and Pong came or went.
    std::uint64_t busy_;
    /// Since when nothing is read by this side's choice.
    std::optional<std::uint64_t> paused_;
    /// When the last Ping was made.
    std::uint64_t last_ping_ = 0;
    /// When the Ping was made after which nothing has come yet.
    std::optional<std::uint64_t> pinged_;
    /// The last Ping whose Pong has not come.
    std::uint64_t awaited_pong_ = 0;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_CORE_HPP
