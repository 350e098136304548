/// How generated code has requests come to the functions of a class.
#ifndef MXP_NET_SERVING_HPP
#define MXP_NET_SERVING_HPP

#include <memory>
#include <optional>
#include <utility>

#include "services.hpp"
#include "typed_call.hpp"
#include "typed_stream.hpp"

namespace mxp::net {

/// A call goes to a member function.
template <class Server, class Request, class Response>
[[nodiscard]] call_handler handler_of(std::shared_ptr<Server> by,
                                      void (Server::*to)(const request&, Request,
                                                         replier<Response>)) {
    return [by = std::move(by), to](const request& asked, responder with) {
        auto value = decoded_request<Request>(asked.value);
        if (value) {
            ((*by).*to)(asked, std::move(*value), replier<Response>{std::move(with)});
        } else {
            with.fail(value.error());
        }
    };
}

/// A stream of responses to one request.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> by,
                                         void (Server::*to)(const request&, Request,
                                                            writer<Response>)) {
    return {[by = std::move(by), to](const request& asked, const stream& on) {
                auto value = decoded_request<Request>(asked.value);
                if (!value) {
                    on.fail(value.error());
                    return;
                }
                // There are none but of a peer that breaks the rules.
                on.on_chunk([](bytes_view) {});
                ((*by).*to)(asked, std::move(*value), writer<Response>{on});
            },
            flows{false, true}};
}

/// A stream of requests with one response.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> by,
                                         void (Server::*to)(const request&,
                                                            collector<Request, Response>)) {
    return {[by = std::move(by), to](const request& asked, const stream& on) {
                ((*by).*to)(asked, collector<Request, Response>{on});
            },
            flows{true, false}};
}

/// A stream of requests and responses.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> by,
                                         void (Server::*to)(const request&,
                                                            duplex<Request, Response>)) {
    return {[by = std::move(by), to](const request& asked, const stream& on) {
                ((*by).*to)(asked, duplex<Request, Response>{on});
            },
            flows{true, true}};
}

/// An event goes to a member function, which says why it doesn't take it, if it doesn't.
template <class Server, class Request>
[[nodiscard]] event_handler handler_of(std::shared_ptr<Server> by,
                                       std::optional<failure> (Server::*to)(const request&,
                                                                            Request)) {
    return [by = std::move(by), to](const request& asked) -> std::optional<failure> {
        auto value = decoded_request<Request>(asked.value);
        if (!value) {
            return value.error();
        }
        return ((*by).*to)(asked, std::move(*value));
    };
}

}  // namespace mxp::net

#endif  // MXP_NET_SERVING_HPP
