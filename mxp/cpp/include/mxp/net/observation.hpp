/// The interceptors that tell an observer of requests.
#ifndef MXP_NET_OBSERVATION_HPP
#define MXP_NET_OBSERVATION_HPP

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "address.hpp"
#include "failure.hpp"
#include "interceptors.hpp"
#include "meters.hpp"
#include "request_parts.hpp"
#include "telemetry.hpp"

namespace mxp::net::detail {

/// Where servers are: of one its host, and its port if it has one.
struct place {
    place() = default;
    explicit place(const std::vector<address>& addresses) {
        if (addresses.size() == 1 && addresses.front().path.empty()) {
            host = addresses.front().host;
            const std::string& text = addresses.front().port;
            std::from_chars(text.data(), text.data() + text.size(), port);
            return;
        }
        std::vector<std::string> known;
        for (const address& one : addresses) {
            const bool is_bracketed = one.host.find(':') != std::string::npos;
            std::string text =
                !one.path.empty()
                    ? one.path
                    : (is_bracketed ? "[" + one.host + "]" : one.host) + ":" + one.port;
            if (std::find(known.begin(), known.end(), text) == known.end()) {
                host.append(host.empty() ? "" : ",").append(text);
                known.push_back(std::move(text));
            }
        }
    }

    std::string host{};
    /// 0 where there is none.
    std::int64_t port = 0;
};

/// The side whose requests somebody is told of.
struct observer_side {
    std::shared_ptr<request_observer> by{};
    session::side side{};
    /// Knows which methods there are.
    std::shared_ptr<net::detail::meters> meters{};
    detail::place place{};
};

/// A request that somebody is told of. A request without an end was cancelled.
class observation {
   public:
    observation(std::shared_ptr<const observer_side> side, const method& method, bool is_known)
        : of_(std::move(side)),
          method_(
              std::string{method.service} + "/" +
              (method.name.empty() ? std::to_string(method.number) : std::string{method.name})) {
        attributes_.push_back({semconv::key::system_name, semconv::system});
        attributes_.push_back(
            {semconv::key::method, is_known ? std::string_view{method_} : semconv::other});
        if (!of_->place.host.empty()) {
            attributes_.push_back({semconv::key::server_address, of_->place.host});
        }
        if (of_->place.port > 0) {
            attributes_.push_back({semconv::key::server_port, of_->place.port});
        }
    }
    observation(const observation&) = delete;
    observation& operator=(const observation&) = delete;
    ~observation() {
        if (request_ != nullptr) {
            const failure why = failure_of(session::kind::cancelled);
            end(&why);
        }
    }

    /// Tells that it begins; false if nobody wants to know more.
    [[nodiscard]] bool begin(const std::optional<session::trace_context>& trace,
                             std::string_view state) {
        const bool is_known = attributes_[1].value != decltype(attribute::value){semconv::other};
        auto attributes = attributes_;
        if (!is_known) {
            attributes.push_back({semconv::key::method_original, method_});
        }
        if (state.size() > tracestate_bytes) {
            state = {};
        }
        request_ =
            of_->by->on_begin({of_->side, is_known ? std::string_view{method_} : semconv::system,
                               attributes, trace, state});
        return request_ != nullptr;
    }

    [[nodiscard]] const observed_request& request() const noexcept { return *request_; }

    /// Tells how it has ended, once.
    void end(const failure* why) {
        const auto request = std::move(request_);
        if (request == nullptr) {
            return;
        }
        const auto number =
            static_cast<std::size_t>(why == nullptr ? session::status::Ok : why->status);
        const semconv::status_code status = number < semconv::status_codes.size()
                                                ? semconv::status_codes[number]
                                                : semconv::status_code{semconv::other, true, true};
        const bool is_error = why != nullptr && (is_served() ? status.server : status.client);
        std::vector<attribute> added{{semconv::key::response_status_code, status.code}};
        if (is_error) {
            added.push_back({semconv::key::error_type, error_type(*why, status.code)});
        }
        auto measured = attributes_;
        measured.insert(measured.end(), added.begin(), added.end());
        const std::string description = is_error ? to_string(*why) : std::string{};
        request->on_end({added, measured, is_error, description, clock::now() - begun_});
    }

   private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] bool is_served() const noexcept { return of_->side == session::side::server; }

    /// The name of a refusal. The names that users give failures may be any, and are not told.
    [[nodiscard]] static std::string_view error_type(const failure& why, std::string_view status) {
        const auto& all = semconv::refusals;
        const auto found = std::lower_bound(all.begin(), all.end(), why.name);
        return found != all.end() && *found == why.name ? *found : status;
    }

    std::shared_ptr<const observer_side> of_;
    std::string method_;
    clock::time_point begun_ = clock::now();
    /// The attributes of its time, as far as they are known: the system, the method, and the place.
    std::vector<attribute> attributes_{};
    std::unique_ptr<observed_request> request_{};
};

/// The tracestate among metadata.
template <class Metadata>
[[nodiscard]] std::string_view state_in(const Metadata& metadata) {
    for (const auto& one : metadata) {
        if constexpr (std::is_same_v<Metadata, net::metadata>) {
            if (one.first == tracestate) {
                return {reinterpret_cast<const char*>(one.second.data()), one.second.size()};
            }
        } else if (one.key() == tracestate) {
            const auto value = one.value();
            return {reinterpret_cast<const char*>(value.data()), value.size()};
        }
    }
    return {};
}

/// Tells of each request that a client makes.
[[nodiscard]] inline outgoing_interceptor told_outgoing(std::shared_ptr<request_observer> observer,
                                                        std::shared_ptr<meters> meters,
                                                        place place) {
    const auto of = std::make_shared<const observer_side>(observer_side{
        std::move(observer), session::side::client, std::move(meters), std::move(place)});
    return [of](outgoing_request& request) {
        const method& what = request.method;
        const method_meter one{session::side::client, what.service, what.number};
        const auto told =
            std::make_shared<observation>(of, what, of->meters->knows(one, what.name));
        if (!told->begin(request.trace, state_in(request.metadata))) {
            return;
        }
        if (const auto trace = told->request().trace()) {
            request.trace = trace;
        }
        const std::string state = told->request().trace_state();
        if (!state.empty() && state.size() <= tracestate_bytes &&
            state_in(request.metadata).empty()) {
            const auto* const bytes = reinterpret_cast<const std::byte*>(state.data());
            request.metadata.emplace_back(tracestate,
                                          std::vector<std::byte>{bytes, bytes + state.size()});
        }
        request.on_end(
            [told](answer& answer) { told->end(answer.failed ? &*answer.failed : nullptr); });
    };
}

/// The side that serves, whose requests an observer is told of.
[[nodiscard]] inline std::shared_ptr<const observer_side>
told_serving(std::shared_ptr<request_observer> observer, std::shared_ptr<meters> meters) {
    return observer == nullptr
               ? nullptr
               : std::make_shared<const observer_side>(observer_side{
                     std::move(observer), session::side::server, std::move(meters), {}});
}

/// Tells of each request that handlers get; nothing if nobody is told.
[[nodiscard]] inline incoming_interceptor told_incoming(std::shared_ptr<const observer_side> side) {
    if (side == nullptr) {
        return {};
    }
    return [side = std::move(side)](incoming_request& request) {
        const method& what = request.method;
        const method_meter one{session::side::server, what.service, what.number};
        const auto told =
            std::make_shared<observation>(side, what, side->meters->knows(one, what.name));
        if (!told->begin(request.request.trace, state_in(request.request.metadata))) {
            return;
        }
        if (const auto trace = told->request().trace()) {
            request.request.trace = trace;
        }
        request.said().over = [told](answer_end& ending) {
            if (ending.cancelled) {
                const failure why = failure_of(*ending.cancelled);
                told->end(&why);
                return;
            }
            told->end(ending.failed ? &*ending.failed : nullptr);
        };
    };
}

/// Tells of a request that was refused, since there is no such method.
inline void tell_refused(const std::shared_ptr<const observer_side>& side, const method& method,
                         const request& request, const failure& why) {
    observation told{side, method, false};
    if (told.begin(request.trace, state_in(request.metadata))) {
        told.end(&why);
    }
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_OBSERVATION_HPP
