/// Requests of a schema that wait for their end, as generated code makes them.
#ifndef MXP_NET_BLOCKING_TYPED_HPP
#define MXP_NET_BLOCKING_TYPED_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "blocking.hpp"
#include "typed.hpp"
#include "typed_several.hpp"

namespace mxp::net {

/// Makes a call, and waits for its answer.
template <class Response, class Request>
[[nodiscard]] outcome<Response> call(blocking_client& caller, const method& method,
                                     const Request& request, call_options options) {
    const auto body = encoded_request(request);
    if (!body) {
        return failed_outcome{caller.explained(method, body.error())};
    }
    const auto came = caller.call(method, *body, std::move(options));
    if (!came) {
        return failed_outcome{came.error()};
    }
    auto value = decoded_response<Response>(came->value);
    if (!value) {
        return failed_outcome{caller.explained(method, value.error())};
    }
    return value;
}

/// Sends an event, and waits until it was written, or taken if it requires an Ack.
template <class Request>
[[nodiscard]] outcome<void> send(blocking_client& caller, const method& method,
                                 const Request& request, event_options options) {
    const auto body = encoded_request(request);
    if (!body) {
        return failed_outcome{caller.explained(method, body.error())};
    }
    const auto came = caller.event(method, *body, std::move(options));
    if (!came) {
        return failed_outcome{came.error()};
    }
    return {};
}

/// Sends the values of a range as events, one after the other, until one fails, and waits until
/// they were written, or taken if they require an Ack. Values before one that can't be encoded are
/// sent.
template <class Request, class Range>
[[nodiscard]] outcome<void> send_all(blocking_client& caller, const method& method, Range&& values,
                                     event_options options) {
    detail::encoded_values all;
    const auto failed = detail::add_events<Request>(all, values, caller, method);
    if (auto came = caller.events(method, all, std::move(options)); !came || !failed) {
        return came;
    }
    return failed_outcome{*failed};
}

namespace detail {

/// Waits for a value; nothing if the peer has finished. A value that can't be decoded ends the
/// stream.
template <class T>
[[nodiscard]] outcome<std::optional<T>> read_value(blocking_stream& end) {
    const auto chunk = end.read();
    if (!chunk) {
        return failed_outcome{chunk.error()};
    }
    if (!*chunk) {
        return std::optional<T>{};
    }
    auto value = decoded_response<T>(**chunk);
    if (!value) {
        end.cancel();
        return failed_outcome{end.explained(value.error())};
    }
    return std::optional<T>{std::move(*value)};
}

/// Waits for values, and decodes all that have come into others, of which there are as many then:
/// none if the peer has finished. A value that can't be decoded ends the stream; all values before
/// it are there.
template <class T>
[[nodiscard]] outcome<std::size_t> read_values(blocking_stream& end, std::vector<T>& values) {
    std::optional<failure> failed;
    std::size_t n = 0;
    const auto came = end.read_batch([&](sdp::span<const bytes_view> chunks) {
        values.resize(std::max(values.size(), chunks.size()));
        while (n < chunks.size() && !failed) {
            if (const auto done = sdp::decode_into(values[n], chunks[n]); done) {
                ++n;
            } else {
                failed = failure_of(done.error(), session::status::DataLoss, true);
            }
        }
    });
    values.resize(n);
    if (!came) {
        return failed_outcome{came.error()};
    }
    if (failed) {
        end.cancel();
        return failed_outcome{end.explained(std::move(*failed))};
    }
    return n;
}

/// Sends values; where one can't be encoded, only the values before it.
template <class T, class Range>
[[nodiscard]] outcome<void> write_values(blocking_stream& end, const Range& values,
                                         bool until_finished) {
    encoded_values all;
    const auto failed = all.add_all<T>(values, true);
    if (auto sent = end.write_batch(all.views(), until_finished); !sent || !failed) {
        return sent;
    }
    return failed_outcome{end.explained(*failed)};
}

template <class T>
[[nodiscard]] outcome<void> write_value(blocking_stream& end, const T& value, bool until_finished) {
    const auto body = encoded_request(value);
    if (!body) {
        return failed_outcome{end.explained(body.error())};
    }
    return end.write(*body, until_finished);
}

}  // namespace detail

/// Reads a stream of responses. It is cancelled with its handle, unless it has ended.
template <class T>
class blocking_receiver {
   public:
    explicit blocking_receiver(blocking_stream end) : end_(std::move(end)) {}

    /// Waits for a value; it is nothing if there are no more.
    [[nodiscard]] outcome<std::optional<T>> read() { return detail::read_value<T>(end_); }
    /// Waits for a value, and reads all that have come, at most 256, into memory that is used
    /// again. The result is how many; none if there are no more.
    [[nodiscard]] outcome<std::size_t> read_batch(std::vector<T>& values) {
        return detail::read_values<T>(end_, values);
    }
    /// Ends the stream at once.
    void cancel() { end_.cancel(); }

   private:
    blocking_stream end_;
};

/// Writes a stream of requests that has one response. It is cancelled with its handle, unless it
/// has ended.
template <class Request, class Response>
class blocking_client_stream {
   public:
    explicit blocking_client_stream(blocking_stream end) : end_(std::move(end)) {}

    /// Sends a value, and waits until the peer has granted it. A value that can't be encoded is not
    /// sent; nor is a value after the response.
    [[nodiscard]] outcome<void> write(const Request& value) {
        return detail::write_value(end_, value, true);
    }
    /// Sends the values of a range, as `write` does each, and writes those at once that are
    /// granted.
    template <class Range>
    [[nodiscard]] outcome<void> write_batch(const Range& values) {
        return detail::write_values<Request>(end_, values, true);
    }
    /// Sends no more, and waits for the response.
    [[nodiscard]] outcome<Response> finish() {
        if (const auto done = end_.finish(); !done) {
            return failed_outcome{done.error()};
        }
        auto first = detail::read_value<Response>(end_);
        if (!first) {
            return failed_outcome{first.error()};
        }
        const auto second = detail::read_value<Response>(end_);
        if (!second) {
            return failed_outcome{second.error()};
        }
        if (!*first || *second) {
            end_.cancel();
            return failed_outcome{end_.explained(not_one_response())};
        }
        return std::move(**first);
    }
    /// Ends the stream at once.
    void cancel() { end_.cancel(); }

   private:
    blocking_stream end_;
};

/// Reads and writes a stream. It is cancelled with its handle, unless both sides have finished.
template <class In, class Out>
class blocking_bidi_stream {
   public:
    explicit blocking_bidi_stream(blocking_stream end) : end_(std::move(end)) {}

    /// Waits for a value; it is nothing if there are no more.
    [[nodiscard]] outcome<std::optional<In>> read() { return detail::read_value<In>(end_); }
    /// Waits for a value, and reads all that have come, at most 256, into memory that is used
    /// again. The result is how many; none if there are no more.
    [[nodiscard]] outcome<std::size_t> read_batch(std::vector<In>& values) {
        return detail::read_values<In>(end_, values);
    }
    /// Sends a value, and waits until the peer has granted it. A value that can't be encoded is not
    /// sent.
    [[nodiscard]] outcome<void> write(const Out& value) {
        return detail::write_value(end_, value, false);
    }
    /// Sends the values of a range, as `write` does each, and writes those at once that are
    /// granted.
    template <class Range>
    [[nodiscard]] outcome<void> write_batch(const Range& values) {
        return detail::write_values<Out>(end_, values, false);
    }
    /// Sends no more.
    [[nodiscard]] outcome<void> finish() { return end_.finish(); }
    /// Ends the stream at once.
    void cancel() { end_.cancel(); }

   private:
    blocking_stream end_;
};

/// Opens a stream of responses to one request.
template <class Response, class Request>
[[nodiscard]] outcome<blocking_receiver<Response>>
open_server_stream(blocking_client& caller, const method& method, const Request& request,
                   call_options options) {
    const auto body = encoded_request(request);
    if (!body) {
        return failed_outcome{caller.explained(method, body.error())};
    }
    auto made = caller.open(method, *body, std::move(options), true);
    if (!made) {
        return failed_outcome{made.error()};
    }
    return blocking_receiver<Response>{std::move(*made)};
}

/// Opens a stream of requests that has one response.
template <class Response, class Request>
[[nodiscard]] outcome<blocking_client_stream<Request, Response>>
open_client_stream(blocking_client& caller, const method& method, call_options options) {
    auto made = caller.open(method, bytes_view{}, std::move(options));
    if (!made) {
        return failed_outcome{made.error()};
    }
    return blocking_client_stream<Request, Response>{std::move(*made)};
}

/// Opens a stream of requests and responses.
template <class Request, class Response>
[[nodiscard]] outcome<blocking_bidi_stream<Response, Request>>
open_bidi_stream(blocking_client& caller, const method& method, call_options options) {
    auto made = caller.open(method, bytes_view{}, std::move(options));
    if (!made) {
        return failed_outcome{made.error()};
    }
    return blocking_bidi_stream<Response, Request>{std::move(*made)};
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_TYPED_HPP
