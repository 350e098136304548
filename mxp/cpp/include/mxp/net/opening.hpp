/// How generated code opens streams.
#ifndef MXP_NET_OPENING_HPP
#define MXP_NET_OPENING_HPP

#include <memory>
#include <optional>
#include <utility>

#include "client.hpp"
#include "typed_call.hpp"
#include "typed_stream.hpp"

namespace mxp::net {

/// Opens a stream of responses to one request.
template <class Response, class Request>
[[nodiscard]] reader<Response> open_reader(client& by, const method& of, const Request& request,
                                           call_options how) {
    auto body = encoded_request(request);
    if (!body) {
        return reader<Response>{by.refused(by.explained(of, body.error()))};
    }
    return reader<Response>{by.open(of, std::move(*body), std::move(how), true)};
}

/// Opens a stream of requests and responses.
template <class Request, class Response>
[[nodiscard]] duplex<Response, Request> open_duplex(client& by, const method& of,
                                                    call_options how) {
    return duplex<Response, Request>{by.open(of, bytes_view{}, std::move(how))};
}

namespace detail {

/// Waits for the one response of a stream, and tells it once.
template <class Response>
class single {
   public:
    explicit single(told<Response> then) : then_(std::move(then)) {}

    /// A response, of which there is to be one.
    void take(const stream& on, bytes_view chunk) {
        if (value_) {
            on.fail(not_one_response());
            return;
        }
        value_ = decoded_chunk<Response>(on, chunk);
    }
    /// No more comes: so nothing more is sent.
    void finish(const stream& on) {
        if (!value_) {
            on.fail(not_one_response());
            return;
        }
        on.finish_now();
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
    told<Response> then_;
    std::optional<Response> value_{};
};

}  // namespace detail

/// Opens a stream of requests that has one response, which a function is told, or why there is
/// none. The function takes the place of `on_end`.
template <class Response, class Request>
[[nodiscard]] writer<Request> open_writer(client& by, const method& of, told<Response> then,
                                          call_options how) {
    const stream on = by.open(of, bytes_view{}, std::move(how));
    const auto one = std::make_shared<detail::single<Response>>(std::move(then));
    on.on_chunk([on, one](bytes_view chunk) { one->take(on, chunk); });
    on.on_finish([on, one] { one->finish(on); });
    on.on_end([one](const failure* why) { one->end(why); });
    return writer<Request>{on};
}

}  // namespace mxp::net

#endif  // MXP_NET_OPENING_HPP
