/// Ends of streams of a schema.
#ifndef MXP_NET_TYPED_STREAM_HPP
#define MXP_NET_TYPED_STREAM_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "stream.hpp"
#include "typed.hpp"

namespace mxp::net {

/// The functions that the ends of all streams have. Copies are the same end.
class stream_end {
   public:
    explicit stream_end(stream of) : end_(std::move(of)) {}

    /// Has the end told, once: nothing if both sides have finished.
    void on_end(std::function<void(const failure*)> done) const { end_.on_end(std::move(done)); }
    /// Ends the stream at once.
    void cancel() const { end_.cancel(); }
    /// Ends the stream with a failure, at the side that did not open it.
    void fail(const failure& why) const { end_.fail(why); }
    [[nodiscard]] bool is_over() const noexcept { return end_.is_over(); }

    /// The stream's bytes.
    [[nodiscard]] const stream& bytes() const noexcept { return end_; }

   private:
    stream end_;
};

namespace detail {

/// Decodes what has come. What can't be decoded ends the stream [MXP-13.4], [MXP-13.5].
template <class T>
[[nodiscard]] std::optional<T> decoded_chunk(const stream& end, bytes_view chunk) {
    auto value = end.is_own() ? decoded_response<T>(chunk) : decoded_request<T>(chunk);
    if (!value) {
        failure why = value.error();
        why.acted = true;
        end.fail(why);
        return std::nullopt;
    }
    return std::optional<T>{std::move(*value)};
}

/// Sends a value. What can't be encoded ends the stream [MXP-13.7].
template <class T>
void send_value(const stream& end, const T& value) {
    auto body = end.is_own() ? encoded_request(value) : encoded_response(value);
    if (body) {
        end.send(std::move(*body));
        return;
    }
    failure why = body.error();
    why.acted = true;
    end.fail(why);
}

}  // namespace detail

/// An end that values come to. What can't be decoded ends the stream.
template <class T>
class reader : public stream_end {
   public:
    using stream_end::stream_end;

    /// Has values told. Those that came before wait until then.
    void on_value(std::function<void(T)> done) const {
        bytes().on_chunk([end = bytes(), done = std::move(done)](bytes_view chunk) {
            if (auto value = detail::decoded_chunk<T>(end, chunk)) {
                done(std::move(*value));
            }
        });
    }
    /// Has it told that no more come.
    void on_finish(std::function<void()> done) const { bytes().on_finish(std::move(done)); }

    /// Takes no values until `resume`; the peer sends what was granted, and no more.
    void pause() const { bytes().pause(); }
    void resume() const { bytes().resume(); }
};

/// An end that sends values, besides what `End` does. A value that can't be encoded ends the
/// stream: `on_end` is told why, and so is the peer if it opened the stream.
template <class T, class End>
class sender : public End {
   public:
    using End::End;

    /// Sends a value as soon as the peer has granted it.
    void send(const T& value) const { detail::send_value(this->bytes(), value); }
    /// Sends no more, once what was sent before has gone.
    void finish() const { this->bytes().finish(); }

    /// How many bytes were sent and wait to be granted.
    [[nodiscard]] std::size_t unsent() const noexcept { return this->bytes().unsent(); }
    /// Has it told that nothing that was sent waits any more.
    void on_sent(std::function<void()> done) const { this->bytes().on_sent(std::move(done)); }

    /// Has a function asked for values as fast as the peer takes them, until it has none, and then
    /// finishes. It takes the place of `on_sent`.
    void send_all(std::function<std::optional<T>()> next) const {
        const auto shared = std::make_shared<decltype(next)>(std::move(next));
        const auto more = [end = this->bytes(), shared] {
            for (std::size_t n = 0;
                 n < unsent_values && end.unsent() < unsent_bytes && !end.is_over(); ++n) {
                const std::optional<T> value = (*shared)();
                if (!value) {
                    end.on_sent(nullptr);
                    end.finish();
                    return;
                }
                detail::send_value(end, *value);
            }
        };
        this->bytes().on_sent(more);
        more();
    }

   private:
    /// How many bytes and values wait, at most, before more are asked for.
    static constexpr std::size_t unsent_bytes = 65536;
    static constexpr std::size_t unsent_values = 1024;
};

/// An end that only sends values.
template <class T>
using writer = sender<T, stream_end>;

/// An end that values come to, and that sends values.
template <class In, class Out>
using duplex = sender<Out, reader<In>>;

/// The end of a stream whose requests flow, and which has one response.
template <class In, class Out>
class collector : public reader<In> {
   public:
    using reader<In>::reader;

    /// Answers, and ends the stream at this side; what still comes is not told. If the value can't
    /// be encoded, the peer is told so, and `on_end` why.
    void respond(const Out& value) const {
        this->bytes().on_chunk([](bytes_view) {});
        detail::send_value(this->bytes(), value);
        this->bytes().finish();
    }
};

}  // namespace mxp::net

#endif  // MXP_NET_TYPED_STREAM_HPP
