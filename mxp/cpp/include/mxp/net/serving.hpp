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
[[nodiscard]] call_handler handler_of(std::shared_ptr<Server> server,
                                      void (Server::*to)(const request&, Request,
                                                         replier<Response>)) {
    return [server = std::move(server), to](const request& asked, responder with) {
        auto value = decoded_request<Request>(asked.value);
        if (value) {
            ((*server).*to)(asked, std::move(*value), replier<Response>{std::move(with)});
        } else {
            with.fail(value.error());
        }
    };
}

/// A stream of responses to one request.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> server,
                                         void (Server::*to)(const request&, Request,
                                                            writer<Response>)) {
    return {[server = std::move(server), to](const request& asked, const stream& end) {
                auto value = decoded_request<Request>(asked.value);
                if (!value) {
                    end.fail(value.error());
                    return;
                }
                // There are none but of a peer that breaks the rules.
                end.on_chunk([](bytes_view) {});
                ((*server).*to)(asked, std::move(*value), writer<Response>{end});
            },
            flows{false, true}};
}

/// A stream of requests with one response.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> server,
                                         void (Server::*to)(const request&,
                                                            collector<Request, Response>)) {
    return {[server = std::move(server), to](const request& asked, const stream& end) {
                ((*server).*to)(asked, collector<Request, Response>{end});
            },
            flows{true, false}};
}

/// A stream of requests and responses.
template <class Server, class Request, class Response>
[[nodiscard]] flowing_handler handler_of(std::shared_ptr<Server> server,
                                         void (Server::*to)(const request&,
                                                            duplex<Request, Response>)) {
    return {[server = std::move(server), to](const request& asked, const stream& end) {
                ((*server).*to)(asked, duplex<Request, Response>{end});
            },
            flows{true, true}};
}

/// An event goes to a member function, which says why it doesn't take it, if it doesn't.
template <class Server, class Request>
[[nodiscard]] event_handler handler_of(std::shared_ptr<Server> server,
                                       std::optional<failure> (Server::*to)(const request&,
                                                                            Request)) {
    return [server = std::move(server), to](const request& asked) -> std::optional<failure> {
        auto value = decoded_request<Request>(asked.value);
        if (!value) {
            return value.error();
        }
        return ((*server).*to)(asked, std::move(*value));
    };
}

}  // namespace mxp::net

#endif  // MXP_NET_SERVING_HPP
