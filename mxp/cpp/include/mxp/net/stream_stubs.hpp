/// How generated code opens streams.
#ifndef MXP_NET_STREAM_STUBS_HPP
#define MXP_NET_STREAM_STUBS_HPP

#include <memory>
#include <optional>
#include <utility>

#include "client.hpp"
#include "typed_call.hpp"
#include "typed_stream.hpp"

namespace mxp::net {

/// Opens a stream of responses to one request.
template <class Response, class Request>
[[nodiscard]] receiver<Response> open_server_stream(client& caller, const method& method,
                                                    const Request& request, call_options options) {
    auto body = encoded_request(request);
    if (!body) {
        return receiver<Response>{caller.refused(caller.explained(method, body.error()))};
    }
    return receiver<Response>{caller.open(method, std::move(*body), std::move(options), true)};
}

/// Opens a stream of requests and responses.
template <class Request, class Response>
[[nodiscard]] bidi_stream<Response, Request> open_bidi_stream(client& caller, const method& method,
                                                              call_options options) {
    return bidi_stream<Response, Request>{caller.open(method, bytes_view{}, std::move(options))};
}

namespace detail {

/// Waits for the one response of a stream, and tells it once.
template <class Response>
class single {
   public:
    explicit single(callback<Response> then) : then_(std::move(then)) {}

    /// A response, of which there is to be one.
    void take(const stream& end, bytes_view chunk) {
        if (value_) {
            end.fail(not_one_response());
            return;
        }
        value_ = decoded_chunk<Response>(end, chunk);
    }
    /// No more comes: so nothing more is sent.
    void finish(const stream& end) {
        if (!value_) {
            end.fail(not_one_response());
            return;
        }
        end.finish_now();
    }
    /// Without a failure there was a response, or `finish` had ended the stream with one.
    void end(const failure* why) {
        if (why != nullptr) {
            then_(failed_outcome{*why});
        } else {
            then_(std::move(*value_));
        }
    }

   private:
    callback<Response> then_;
    std::optional<Response> value_{};
};

}  // namespace detail

/// Opens a stream of requests that has one response, which a function is told, or why there is
/// none. The function takes the place of `on_end`.
template <class Response, class Request>
[[nodiscard]] sender<Request> open_client_stream(client& caller, const method& method,
                                                 callback<Response> then, call_options options) {
    const stream end = caller.open(method, bytes_view{}, std::move(options));
    const auto one = std::make_shared<detail::single<Response>>(std::move(then));
    end.on_chunk([end, one](bytes_view chunk) { one->take(end, chunk); });
    end.on_finish([end, one] { one->finish(end); });
    end.on_end([one](const failure* why) { one->end(why); });
    return sender<Request>{end};
}

}  // namespace mxp::net

#endif  // MXP_NET_STREAM_STUBS_HPP
