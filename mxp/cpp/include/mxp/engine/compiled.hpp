/// The compiled functions of the engine.
#ifndef MXP_ENGINE_COMPILED_HPP
#define MXP_ENGINE_COMPILED_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "failure.hpp"
#include "failure_text.hpp"
#include "packed_values.hpp"

namespace mxp::engine {

std::string to_string(const failure& why) {
    std::string line = why.method;
    if (!why.method.empty() && !why.peer.empty()) {
        line += " at ";
    }
    line += why.peer;
    if (!line.empty()) {
        line += ": ";
    }
    const auto number = static_cast<std::uint16_t>(why.status);
    const bool is_known = why.status <= session::status::Unauthenticated;
    line.append(is_known ? to_string(why.status) : "Status");
    line.append(" (").append(std::to_string(number)).append(")");
    if (!why.name.empty() && why.text.compare(0, why.name.size(), why.name) != 0) {
        line.append(" ").append(why.name).append(why.text.empty() ? "" : ":");
    }
    if (!why.text.empty()) {
        line.append(" ").append(why.text);
    }
    if (!why.method.empty()) {
        line += why.acted ? "; it may have been acted on" : "; it was not acted on";
    }
    return line;
}

failure failure_of(const session::failure& why) {
    return {why.status,
            std::string{why.name},
            std::string{why.text},
            {why.details.begin(), why.details.end()},
            why.acted};
}

failure failure_of(session::kind refusal, std::string text) {
    return {static_cast<session::status>(session::status_of(refusal)),
            std::string{to_string(refusal)},
            std::move(text),
            {},
            false};
}

failure unavailable(std::string why, std::string address) {
    failure made = failure_of(session::kind::not_connected, std::move(why));
    made.status = session::status::Unavailable;
    made.peer = std::move(address);
    return made;
}
failure unusable(std::string why, std::string address) {
    failure made = unavailable(std::move(why), std::move(address));
    made.status = session::status::FailedPrecondition;
    return made;
}

std::string subject::method() const {
    return service + "/" + (name.empty() ? std::to_string(number) : name);
}

void subject::explain(failure& why, clock::time_point now) const {
    if (!why.method.empty() || service.empty()) {
        return;
    }
    why.method = method();
    why.peer = peer ? *peer : std::string{};
    if (most.count() > 0 && why.name == to_string(session::kind::deadline_exceeded)) {
        const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(now - begun);
        std::string text = "after " + span_text(waited) + ", with a deadline of " + span_text(most);
        why.text = why.text.empty() ? std::move(text) : text + ": " + why.text;
    }
}

failure subject::explained(failure why, clock::time_point now) const {
    explain(why, now);
    return why;
}

void packed_values::add(bytes_view value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    end();
}

void packed_values::add(const packed_values& source, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
        add(source[i]);
    }
}

void packed_values::clear() noexcept {
    bytes_.clear();
    ends_.clear();
}

bytes_view packed_values::operator[](std::size_t i) const noexcept {
    const std::size_t from = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + from, ends_[i] - from};
}

void packed_values::end() { ends_.push_back(bytes_.size()); }

}  // namespace mxp::engine

#endif  // MXP_ENGINE_COMPILED_HPP
