/// How generated code has requests come to the functions of a class.
#ifndef MXP_NET_SERVICE_STUBS_HPP
#define MXP_NET_SERVICE_STUBS_HPP

#include <memory>
#include <optional>
#include <utility>

#include "services.hpp"
#include "typed_call.hpp"
#include "typed_stream.hpp"

namespace mxp::net {

/// A call goes to a member function.
template <class Server, class Request, class Response>
[[nodiscard]] call_handler handler_of(std::shared_ptr<Server> server,
                                      void (Server::*method)(const request&, Request,
                                                             replier<Response>)) {
    return [server = std::move(server), method](const request& request, responder responder) {
        auto value = decoded_request<Request>(request.value);
        if (value) {
            ((*server).*method)(request, std::move(*value),
                                replier<Response>{std::move(responder)});
        } else {
            responder.fail(value.error());
        }
    };
}

/// A stream of responses to one request.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> server,
                                         void (Server::*method)(const request&, Request,
                                                                sender<Response>)) {
    return {[server = std::move(server), method](const request& request, const stream& end) {
                auto value = decoded_request<Request>(request.value);
                if (!value) {
                    end.fail(value.error());
                    return;
                }
                // There are none but of a peer that breaks the rules.
                end.on_chunk([](bytes_view) {});
                ((*server).*method)(request, std::move(*value), sender<Response>{end});
            },
            flows{false, true}};
}

/// A stream of requests with one response.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> server,
                                         void (Server::*method)(const request&,
                                                                client_stream<Request, Response>)) {
    return {[server = std::move(server), method](const request& request, const stream& end) {
                ((*server).*method)(request, client_stream<Request, Response>{end});
            },
            flows{true, false}};
}

/// A stream of requests and responses.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> server,
                                         void (Server::*method)(const request&,
                                                                bidi_stream<Request, Response>)) {
    return {[server = std::move(server), method](const request& request, const stream& end) {
                ((*server).*method)(request, bidi_stream<Request, Response>{end});
            },
            flows{true, true}};
}

/// An event goes to a member function, which says why it doesn't take it, if it doesn't.
template <class Server, class Request>
[[nodiscard]] event_handler handler_of(std::shared_ptr<Server> server,
                                       std::optional<failure> (Server::*method)(const request&,
                                                                                Request)) {
    return [server = std::move(server), method](const request& request) -> std::optional<failure> {
        auto value = decoded_request<Request>(request.value);
        if (!value) {
            return value.error();
        }
        return ((*server).*method)(request, std::move(*value));
    };
}

}  // namespace mxp::net

#endif  // MXP_NET_SERVICE_STUBS_HPP
