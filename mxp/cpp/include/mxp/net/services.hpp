/// The services of a side, by the handlers of their methods.
#ifndef MXP_NET_SERVICES_HPP
#define MXP_NET_SERVICES_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "interceptors.hpp"
#include "request.hpp"
#include "responder.hpp"
#include "stream.hpp"
#include "types.hpp"

namespace mxp::net {

using call_handler = std::function<void(const request&, responder)>;
using stream_handler = std::function<void(const request&, stream)>;
/// Says why the event is not taken, if it isn't.
using event_handler = std::function<std::optional<failure>(const request&)>;

/// Takes several events of one head at once, whose values are lent until it returns; the request's
/// own value is that of one that comes alone. It says why they are not taken, if they aren't.
using events_handler =
    std::function<std::optional<failure>(const request&, sdp::span<const bytes_view>)>;

/// The handler of an event, which takes one at a time or several.
struct event_entry {
    event_handler one{};
    /// There may be none.
    events_handler several{};
};

/// The messages of a method that may come in any number: `stream` in the schema.
struct flows {
    bool requests = false;
    bool responses = false;
};

/// A handler of a stream. Generated code says what flows; where it is not said, nothing does.
struct flowing_handler {
    template <class Handler,
              std::enable_if_t<std::is_convertible_v<Handler, stream_handler>, int> = 0>
    flowing_handler(Handler function, flows flows = {})
        : handler(std::move(function)), flowing(flows) {}

    stream_handler handler;
    flows flowing;
};

/// The facts of a method that has a handler.
struct method_facts {
    /// Empty where it was not given.
    std::string name{};
    bool is_idempotent = false;
    flows flowing{};
};

/// A service, by the handlers of its methods. Interceptors get the methods' names, where there are
/// any. The service's name in a `method` is ignored. A second method with the same number throws
/// `std::invalid_argument`.
class service {
   public:
    explicit service(std::string name);
    service(const service&);
    service(service&&) noexcept;
    service& operator=(const service&);
    service& operator=(service&&) noexcept;
    ~service();

    /// A call is answered by its responder, then or later.
    service& call(std::uint16_t method, call_handler handler, std::string name = {});
    service& call(const net::method& method, call_handler handler);
    /// A stream is read and written by its handle.
    service& stream(std::uint16_t method, flowing_handler handler, std::string name = {});
    service& stream(const net::method& method, flowing_handler handler);
    /// An event that asks for an Ack gets it when the handler returns, unless that returns a
    /// failure. Handlers that never fail may return nothing at all.
    template <class Handler>
    service& event(std::uint16_t method, Handler handler, std::string name = {}) {
        return add_event(method, {event_of(std::move(handler)), {}}, std::move(name));
    }
    template <class Handler>
    service& event(const net::method& method, Handler handler) {
        return add_event(method, {event_of(std::move(handler)), {}});
    }
    /// An event whose handler takes several at a time: events that have come together with one
    /// head, at most 256, or one. Where there are interceptors, and where an Ack is asked for, it
    /// is one.
    service& events(std::uint16_t method, events_handler handler, std::string name = {});
    service& events(const net::method& method, events_handler handler);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// A handler, and the facts of its method.
    template <class Handler>
    struct handler_entry : method_facts {
        handler_entry() = default;
        handler_entry(method_facts facts, Handler function)
            : method_facts(std::move(facts)), handler(std::move(function)) {}

        Handler handler{};
    };

    [[nodiscard]] const handler_entry<call_handler>* find_call(std::uint16_t method) const;
    [[nodiscard]] const handler_entry<stream_handler>* find_stream(std::uint16_t method) const;
    [[nodiscard]] const handler_entry<event_entry>* find_event(std::uint16_t method) const;

    /// Calls a function with the kind, the number and the facts of each method, in ascending order
    /// of the numbers within a kind.
    template <class Function>
    void for_each_method(Function tell) const {
        const auto each = [&](session::purpose kind, const auto& methods) {
            for (const auto& [number, one] : methods) {
                tell(kind, number, static_cast<const method_facts&>(one));
            }
        };
        each(session::purpose::call, calls_);
        each(session::purpose::stream, streams_);
        each(session::purpose::event, events_);
    }

    /// Names the methods of a service that lacks the requested method: if it has many, the methods
    /// with the nearest numbers.
    [[nodiscard]] std::string unknown(std::string_view kind, std::uint16_t number) const;

   private:
    template <class Handler>
    using table = std::map<std::uint16_t, handler_entry<Handler>>;

    template <class Handler>
    service& add(table<Handler>& rows, std::uint16_t number, method_facts facts, Handler handler);
    service& add_event(std::uint16_t method, event_entry handler, std::string name);
    service& add_event(const net::method& method, event_entry handler);

    template <class Handler>
    static event_handler event_of(Handler handler) {
        if constexpr (std::is_void_v<std::invoke_result_t<Handler&, const request&>>) {
            return [handler = std::move(handler)](const request& request) mutable {
                handler(request);
                return std::optional<failure>{};
            };
        } else {
            return handler;
        }
    }

    std::string name_;
    table<call_handler> calls_;
    table<stream_handler> streams_;
    table<event_entry> events_;
};

/// The services of a side. All are to be there before it is used.
class services {
   public:
    services();
    services(const services&);
    services(services&&) noexcept;
    services& operator=(const services&);
    services& operator=(services&&) noexcept;
    ~services();

    /// Adds a service by its full name: package, dot, name; with what its methods reach, so that
    /// peers can compare it.
    net::service& service(std::string name, std::vector<session::type> reaches = {});

    /// Has a function see every request before its handler: the first function that is given is the
    /// first to see it, and the last to be told how it ends.
    services& intercept(incoming_interceptor interceptor);

    /// Is told how the server, or client, that has the services fares.
    class watcher {
       public:
        virtual ~watcher() = default;
        /// They are served, and no more come. The reference holds until it returns.
        virtual void on_serve(const services& /*all*/) {}
        /// The server begins to drain.
        virtual void on_drain() {}
    };
    services& watch(std::shared_ptr<watcher> observer);
    /// The services that a connection serves, of which the watchers are told. There may be an
    /// interceptor that sees every request before all others.
    [[nodiscard]] static std::shared_ptr<const services> served(services list,
                                                                incoming_interceptor first = {});
    [[nodiscard]] const std::vector<std::shared_ptr<watcher>>& watchers() const noexcept {
        return watchers_;
    }

    [[nodiscard]] std::vector<std::string> names() const;

    /// The service at a position, which is there.
    [[nodiscard]] const net::service& operator[](std::size_t i) const;
    [[nodiscard]] const std::deque<net::service>& all() const noexcept { return all_; }
    [[nodiscard]] const std::vector<session::type>& types() const noexcept { return types_; }
    [[nodiscard]] const std::vector<incoming_interceptor>& interceptors() const noexcept {
        return interceptors_;
    }

   private:
    std::deque<net::service> all_;
    std::vector<session::type> types_;
    std::vector<incoming_interceptor> interceptors_;
    std::vector<std::shared_ptr<watcher>> watchers_;
};

}  // namespace mxp::net

#endif  // MXP_NET_SERVICES_HPP
