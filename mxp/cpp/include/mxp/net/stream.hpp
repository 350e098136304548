/// Streams, as handlers and callers use them.
#ifndef MXP_NET_STREAM_HPP
#define MXP_NET_STREAM_HPP

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../session/values.hpp"
#include "failure.hpp"
#include "sdp/span.hpp"

namespace mxp::net {

class connection;

namespace detail {

class strand;

/// A function that gives what another makes of each element of a range, which it keeps.
template <class Range, class Make>
[[nodiscard]] auto each_of(Range row, Make make) {
    using iterator = decltype(std::begin(row));
    using item = decltype(make(*std::declval<iterator&>()));
    struct walk {
        walk(Range&& values, Make&& maker)
            : range(std::move(values)), make(std::move(maker)), at(std::begin(range)) {}
        Range range;
        Make make;
        iterator at;
    };
    return [of = std::make_shared<walk>(std::move(row), std::move(make))]() -> std::optional<item> {
        if (of->at == std::end(of->range)) {
            return std::nullopt;
        }
        std::optional<item> next{of->make(*of->at)};
        ++of->at;
        return next;
    };
}

}  // namespace detail

/// One end of a stream, for any thread, which lives until both directions have ended or something
/// went wrong. Copies are the same end. Chunks that come are granted to the peer anew as they are
/// taken.
class stream {
   public:
    /// Has chunks told. Chunks that came before wait until then.
    void on_chunk(std::function<void(bytes_view)> hook) const;
    /// Has chunks told several at a time, in place of `on_chunk`: chunks that have come together,
    /// in their order, at most 256. They are lent until the function returns; if it pauses the
    /// stream or ends it, that is after them.
    void on_chunks(std::function<void(sdp::span<const bytes_view>)> hook) const;
    /// Has it told that the peer sends no more.
    void on_finish(std::function<void()> hook) const;
    /// Has the end told, once: nothing if both sides have finished.
    void on_end(std::function<void(const failure*)> hook) const;
    /// Has it told that nothing that was sent waits any more.
    void on_sent(std::function<void()> hook) const;

    /// Sends a chunk as soon as the peer has granted it. A chunk larger than the peer's window lets
    /// through ends the stream with `stream_window`.
    void send(session::value body) const;
    /// Sends several chunks, one after the other, as `send` does each. Granted chunks are copied
    /// into the output at once, without memory of their own.
    void send_batch(sdp::span<const bytes_view> bodies) const;
    /// Has a function asked for chunks as fast as the peer takes them, until it has none, and then
    /// finishes. A chunk may lie where the function says: it is copied before the next is asked
    /// for. Chunks that are sent otherwise go before all chunks that the function was not asked for
    /// yet.
    void send_all(std::function<std::optional<session::value>()> next) const;
    /// Sends the elements of a range in this way, and takes the range over: the elements are bytes,
    /// or convert to `bytes_view`.
    template <class Range, std::enable_if_t<!std::is_invocable_v<Range&>, int> = 0>
    void send_all(Range bodies) const {
        send_all(detail::each_of(std::move(bodies), [](auto&& item) {
            const bytes_view lent{item};
            // Elements that a range makes as it goes are gone when this returns, but for views.
            using element = std::remove_cv_t<std::remove_reference_t<decltype(item)>>;
            constexpr bool stays =
                std::is_lvalue_reference_v<decltype(item)> || std::is_trivially_copyable_v<element>;
            return stays ? session::value{lent}
                         : session::value{std::vector<std::byte>{lent.begin(), lent.end()}};
        }));
    }
    /// Sends no more, once what was sent before has gone; nor what `send_all` has not asked for.
    void finish() const;
    /// Sends no more, not even what waits.
    void finish_now() const;
    /// Ends the stream at once.
    void cancel() const;
    /// Ends the stream with a failure, at the side that did not open it.
    void fail(const failure& why) const;

    /// Takes no chunks until `resume`; the peer sends the granted chunks, and no more.
    void pause() const;
    void resume() const;

    /// Whether this side opened it.
    [[nodiscard]] bool is_own() const noexcept;
    /// Whether it has ended.
    [[nodiscard]] bool is_over() const noexcept;
    /// How many bytes were sent and wait to be granted.
    [[nodiscard]] std::size_t unsent() const noexcept;

   private:
    friend class connection;
    friend class client;

    struct state;
    explicit stream(std::shared_ptr<detail::strand> turns);
    explicit stream(std::shared_ptr<state> core) : state_(std::move(core)) {}

    /// Does what has become possible.
    static void proceed(const std::shared_ptr<state>& core);
    static void fail(const std::shared_ptr<state>& core, const failure& why);

    std::shared_ptr<state> state_;
};

}  // namespace mxp::net

#endif  // MXP_NET_STREAM_HPP
