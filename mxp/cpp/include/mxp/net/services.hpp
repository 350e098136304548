/// What a side serves, by hand-registered handlers.
#ifndef MXP_NET_SERVICES_HPP
#define MXP_NET_SERVICES_HPP

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "request.hpp"
#include "responder.hpp"
#include "stream.hpp"

namespace mxp::net {

using call_handler = std::function<void(const request&, responder)>;
using stream_handler = std::function<void(const request&, stream)>;
using event_handler = std::function<void(const request&)>;

/// A service, by the handlers of its methods.
class service {
   public:
    explicit service(std::string name) : name_(std::move(name)) {}

    /// A call is answered by its responder, then or later.
    service& call(std::uint16_t method, call_handler by) {
        calls_[method] = std::move(by);
        return *this;
    }
    /// A stream is read and written by its handle.
    service& stream(std::uint16_t method, stream_handler by) {
        streams_[method] = std::move(by);
        return *this;
    }
    /// An event that asks for an Ack gets it when the handler returns.
    service& event(std::uint16_t method, event_handler by) {
        events_[method] = std::move(by);
        return *this;
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const call_handler* find_call(std::uint16_t method) const {
        return find(calls_, method);
    }
    [[nodiscard]] const stream_handler* find_stream(std::uint16_t method) const {
        return find(streams_, method);
    }
    [[nodiscard]] const event_handler* find_event(std::uint16_t method) const {
        return find(events_, method);
    }

   private:
    template <class Handler>
    [[nodiscard]] static const Handler* find(const std::map<std::uint16_t, Handler>& all,
                                             std::uint16_t method) {
        const auto found = all.find(method);
        return found == all.end() ? nullptr : &found->second;
    }

    std::string name_;
    std::map<std::uint16_t, call_handler> calls_;
    std::map<std::uint16_t, stream_handler> streams_;
    std::map<std::uint16_t, event_handler> events_;
};

/// The services of a side. All are to be there before it is used.
class services {
   public:
    /// Adds a service by its full name: package, dot, name.
    net::service& service(std::string name) { return all_.emplace_back(std::move(name)); }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> made;
        for (const net::service& one : all_) {
            made.push_back(one.name());
        }
        return made;
    }

    /// The service at a position, which is there.
    [[nodiscard]] const net::service& operator[](std::size_t i) const { return all_[i]; }

   private:
    std::deque<net::service> all_;
};

}  // namespace mxp::net

#endif  // MXP_NET_SERVICES_HPP
