/// Ends of streams of a schema.
#ifndef MXP_NET_TYPED_STREAM_HPP
#define MXP_NET_TYPED_STREAM_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "stream.hpp"
#include "typed.hpp"
#include "typed_several.hpp"

namespace mxp::net {

/// The functions that the ends of all streams have. Copies are the same end.
class stream_end {
   public:
    explicit stream_end(stream stream) : end_(std::move(stream)) {}

    /// Has the end told, once: nothing if both sides have finished.
    void on_end(std::function<void(const failure*)> hook) const { end_.on_end(std::move(hook)); }
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

/// Decodes what has come. A value that can't be decoded ends the stream [MXP-13.4], [MXP-13.5].
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

/// Ends a stream with why a value can't be encoded [MXP-13.7].
inline void fail_value(const stream& end, failure why) {
    why.acted = true;
    end.fail(why);
}

/// Sends a value. A value that can't be encoded ends the stream.
template <class T>
void send_value(const stream& end, const T& value) {
    auto body = end.is_own() ? encoded_request(value) : encoded_response(value);
    if (body) {
        end.send(std::move(*body));
    } else {
        fail_value(end, body.error());
    }
}

/// A function that encodes the values of another, all into the same memory, for `stream::send_all`.
/// A value that can't be encoded ends the stream.
template <class T, class Next>
[[nodiscard]] std::function<std::optional<session::value>()> encoding(const stream& end,
                                                                      Next next) {
    struct encode_state {
        Next next;
        std::vector<std::byte> bytes{};
    };
    return [end, of = std::make_shared<encode_state>(
                     encode_state{std::move(next)})]() -> std::optional<session::value> {
        const auto value = of->next();
        if (!value) {
            return std::nullopt;
        }
        of->bytes.clear();
        if (const auto done = sdp::append(static_cast<const T&>(*value), of->bytes); !done) {
            fail_value(end, failure_of(done.error(),
                                       end.is_own() ? session::status::InvalidArgument
                                                    : session::status::Internal,
                                       true));
            return std::nullopt;
        }
        if (session::value body{bytes_view{of->bytes}}; !body.is_large()) {
            return body;
        }
        return session::value{std::move(of->bytes)};
    };
}

}  // namespace detail

/// An end that values come to. A value that can't be decoded ends the stream.
template <class T>
class receiver : public stream_end {
   public:
    using stream_end::stream_end;

    /// Has values told. Values that came before wait until then.
    void on_value(std::function<void(T)> hook) const {
        bytes().on_chunk([end = bytes(), hook = std::move(hook)](bytes_view chunk) {
            if (auto value = detail::decoded_chunk<T>(end, chunk)) {
                hook(std::move(*value));
            }
        });
    }
    /// Has values told several at a time, in place of `on_value`: values that have come together,
    /// in their order, at most 256. They are lent until the function returns, and the memory of
    /// small ones is used again. Values before one that can't be decoded are told.
    void on_values(std::function<void(sdp::span<T>)> hook) const {
        const auto into = std::make_shared<detail::decoded_values<T>>();
        bytes().on_chunks(
            [end = bytes(), hook = std::move(hook), into](sdp::span<const bytes_view> chunks) {
                const auto failed = into->decode(chunks, end.is_own());
                if (const auto values = into->values(); values.size() > 0) {
                    hook(values);
                }
                into->trim();
                if (failed) {
                    end.fail(*failed);
                }
            });
    }
    /// Has it told that no more come.
    void on_finish(std::function<void()> hook) const { bytes().on_finish(std::move(hook)); }

    /// Takes no values until `resume`; the peer sends the granted values, and no more.
    void pause() const { bytes().pause(); }
    void resume() const { bytes().resume(); }
};

/// An end that sends values; without `End`, it does nothing else. A value that can't be encoded
/// ends the stream: `on_end` is told why, and so is the peer if it opened the stream.
template <class T, class End = stream_end>
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
    void on_sent(std::function<void()> hook) const { this->bytes().on_sent(std::move(hook)); }

    /// Sends the values of a range, one after the other, as `send` does each. Granted values take
    /// no memory of their own.
    template <class Range>
    void send_batch(const Range& values) const {
        const stream& end = this->bytes();
        detail::encoded_values all;
        const auto failed = all.add_all<T>(values, end.is_own());
        end.send_batch(all.views());
        if (failed) {
            detail::fail_value(end, *failed);
        }
    }
    /// Has a function asked for values as fast as the peer takes them, until it has none, and then
    /// finishes. They are encoded into memory that is used again. Values that are sent otherwise go
    /// before all values that the function was not asked for yet.
    void send_all(std::function<std::optional<T>()> next) const {
        this->bytes().send_all(detail::encoding<T>(this->bytes(), std::move(next)));
    }
    /// Does so with the values of a range, which it takes.
    template <class Range, std::enable_if_t<!std::is_invocable_v<Range&>, int> = 0>
    void send_all(Range values) const {
        this->bytes().send_all(detail::encoding<T>(
            this->bytes(), detail::each_of(std::move(values), [](auto&& item) {
                using element = std::remove_cv_t<std::remove_reference_t<decltype(item)>>;
                // Elements that a range makes as it goes are gone when this returns.
                using item_type = std::conditional_t<std::is_lvalue_reference_v<decltype(item)> &&
                                                         std::is_same_v<element, T>,
                                                     std::reference_wrapper<const T>, T>;
                return item_type{item};
            })));
    }
};

/// An end that values come to, and that sends values.
template <class In, class Out>
using bidi_stream = sender<Out, receiver<In>>;

/// The end of a stream whose requests flow, and which has one response.
template <class In, class Out>
class client_stream : public receiver<In> {
   public:
    using receiver<In>::receiver;

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
