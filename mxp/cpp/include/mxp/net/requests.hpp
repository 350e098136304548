/// The compiled functions of requests, and of what their ends say.
#ifndef MXP_NET_REQUESTS_HPP
#define MXP_NET_REQUESTS_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "../engine/failure_text.hpp"
#include "held_request.hpp"
#include "repetition.hpp"
#include "request.hpp"
#include "request_parts.hpp"
#include "typed_several.hpp"

namespace mxp::net {

failure method_unknown() {
    return failure_of(session::kind::method_unknown, "the method is not implemented");
}

failure answer::explained(failure why) const {
    return subject == nullptr
               ? why
               : subject->explained(std::move(why), std::chrono::steady_clock::now());
}

std::optional<repetition> answer::hold() {
    if (held_by == nullptr || !failed || held_by->has_held()) {
        return std::nullopt;
    }
    return held_by->hold();
}

void repetition::ask(metadata more) const { of_->decide(std::move(more)); }

namespace detail {

/// Has what is asked belong to the trace of a request.
template <class Options>
void follow_trace(Options& options, const request& request) {
    if (options.trace || !request.trace) {
        return;
    }
    options.trace = request.trace;
    for (const auto& [key, value] : options.metadata) {
        if (key == tracestate) {
            return;
        }
    }
    for (const auto& one : request.metadata) {
        if (one.key() == tracestate && one.value().size() <= tracestate_bytes) {
            options.metadata.emplace_back(
                tracestate, std::vector<std::byte>{one.value().begin(), one.value().end()});
            return;
        }
    }
}

}  // namespace detail

call_options call_options::following(const request& request) const {
    call_options made = *this;
    if (request.until != std::chrono::steady_clock::time_point::max()) {
        const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
            request.until - std::chrono::steady_clock::now());
        const auto most = std::max(left, std::chrono::microseconds{1});
        made.deadline = deadline.count() > 0 ? std::min(deadline, most) : most;
    }
    detail::follow_trace(made, request);
    return made;
}

event_options event_options::following(const request& request) const {
    event_options made = *this;
    detail::follow_trace(made, request);
    return made;
}

sdp::span<const bytes_view> detail::encoded_values::views() {
    views_.clear();
    views_.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
        views_.push_back((*this)[i]);
    }
    return {views_.data(), views_.size()};
}

}  // namespace mxp::net

#endif  // MXP_NET_REQUESTS_HPP
