/// Streams, as handlers and callers use them.
#ifndef MXP_NET_STREAM_HPP
#define MXP_NET_STREAM_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "../session/values.hpp"
#include "failure.hpp"

namespace mxp::net {

class connection;

namespace detail {
class strand;
}

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
    explicit stream(std::shared_ptr<state> of) : state_(std::move(of)) {}

    /// Does what has become possible.
    static void proceed(const std::shared_ptr<state>& of);
    static void fail(const std::shared_ptr<state>& of, const failure& why);

    std::shared_ptr<state> state_;
};

}  // namespace mxp::net

#endif  // MXP_NET_STREAM_HPP
