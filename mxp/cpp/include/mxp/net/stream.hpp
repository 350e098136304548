/// Streams, as handlers and callers use them.
#ifndef MXP_NET_STREAM_HPP
#define MXP_NET_STREAM_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fifo.hpp"
#include "intercepting.hpp"
#include "meters.hpp"
#include "request.hpp"
#include "strand.hpp"

namespace mxp::net {

class connection;

namespace detail {

/// A function that can be held while it runs; nothing of one that is empty.
template <class Function>
[[nodiscard]] std::shared_ptr<const Function> shared_function(Function of) {
    return of ? std::make_shared<const Function>(std::move(of)) : nullptr;
}

}  // namespace detail

/// One end of a stream, for any thread, which lives until both directions have ended or something
/// went wrong. Copies are the same end. What comes is granted to the peer anew as it is taken.
class stream {
   public:
    /// Has chunks told. Those that came before wait until then.
    void on_chunk(std::function<void(bytes_view)> done) const;
    /// Has it told that the peer sends no more.
    void on_finish(std::function<void()> done) const;
    /// Has the end told, once: nothing if both sides have finished.
    void on_end(std::function<void(const failure*)> done) const;
    /// Has it told that nothing that was sent waits any more.
    void on_sent(std::function<void()> done) const;

    /// Sends a chunk as soon as the peer has granted it. One that is larger than the peer's window
    /// lets through ends the stream with `stream_window`.
    void send(session::value body) const;
    /// Sends no more, once what was sent before has gone.
    void finish() const;
    /// Sends no more, not even what waits.
    void finish_now() const;
    /// Ends the stream at once.
    void cancel() const;
    /// Ends the stream with a failure, at the side that did not open it.
    void fail(const failure& why) const;

    /// Takes no chunks until `resume`; the peer sends what was granted, and no more.
    void pause() const;
    void resume() const;

    /// Whether this side opened it.
    [[nodiscard]] bool is_own() const noexcept { return state_->is_own; }
    /// Whether it has ended.
    [[nodiscard]] bool is_over() const noexcept { return state_->is_over; }
    /// How many bytes were sent and wait to be granted.
    [[nodiscard]] std::size_t unsent() const noexcept { return state_->unsent_bytes; }

   private:
    friend class connection;
    friend class client;

    struct state {
        /// The strand of its connection, or of its client, in whose turns it is used.
        std::shared_ptr<detail::strand> turns{};
        std::weak_ptr<connection> link{};
        std::uint64_t id = 0;
        bool is_own = false;
        /// No more is done with it.
        std::atomic<bool> is_over{false};
        /// Whether it is to proceed soon.
        bool is_called = false;

        // Shared, since a function may replace itself, or have the stream end, while it runs.
        std::shared_ptr<const std::function<void(bytes_view)>> on_chunk{};
        std::shared_ptr<const std::function<void()>> on_finish{};
        std::shared_ptr<const std::function<void()>> on_sent{};
        std::function<void(const failure*)> on_end{};
        /// Told before `on_end`.
        std::function<void(const failure*)> on_over{};

        // The direction that comes.
        detail::fifo<std::vector<std::byte>> chunks{};
        /// The bytes that they count in memory.
        std::size_t chunks_bytes = 0;
        bool is_paused = false;
        bool has_peer_finished = false;
        bool was_finish_told = false;
        /// Taken since the last grant.
        std::uint32_t taken = 0;
        std::uint64_t taken_bytes = 0;

        // The direction that goes.
        detail::fifo<session::value> unsent{};
        std::atomic<std::size_t> unsent_bytes{0};
        /// The bytes that the connection counts for it.
        std::size_t unsent_held = 0;
        bool is_finishing = false;
        bool has_finished = false;

        /// Whether anything was sent but its opening, or has come.
        bool has_moved = false;
        /// Opens it again if it can be; there may be none.
        std::function<bool(const failure&)> again{};

        /// For those who are told that it failed.
        detail::subject subject{};
        /// Counts it, until it has ended.
        detail::measured measured{};

        /// How it has ended, until somebody is told.
        std::unique_ptr<std::optional<failure>> untold{};
        bool is_finish_untold = false;

        void end(const failure* why);
    };

    explicit stream(std::shared_ptr<detail::strand> turns) : state_(std::make_shared<state>()) {
        state_->turns = std::move(turns);
    }
    explicit stream(std::shared_ptr<state> of) : state_(std::move(of)) {}

    /// Does what has become possible.
    static void proceed(const std::shared_ptr<state>& of);
    static void fail(const std::shared_ptr<state>& of, const failure& why);

    std::shared_ptr<state> state_;
};

}  // namespace mxp::net

#endif  // MXP_NET_STREAM_HPP
