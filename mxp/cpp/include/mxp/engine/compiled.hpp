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

std::string to_string(const failure& of) {
    std::string line = of.method;
    if (!of.method.empty() && !of.peer.empty()) {
        line += " at ";
    }
    line += of.peer;
    if (!line.empty()) {
        line += ": ";
    }
    const auto number = static_cast<std::uint16_t>(of.status);
    const bool is_known = of.status <= session::status::Unauthenticated;
    line.append(is_known ? to_string(of.status) : "Status");
    line.append(" (").append(std::to_string(number)).append(")");
    if (!of.name.empty() && of.text.compare(0, of.name.size(), of.name) != 0) {
        line.append(" ").append(of.name).append(of.text.empty() ? "" : ":");
    }
    if (!of.text.empty()) {
        line.append(" ").append(of.text);
    }
    if (!of.method.empty()) {
        line += of.acted ? "; it may have been acted on" : "; it was not acted on";
    }
    return line;
}

failure failure_of(const session::failure& from) {
    return {from.status,
            std::string{from.name},
            std::string{from.text},
            {from.details.begin(), from.details.end()},
            from.acted};
}

failure failure_of(session::kind of, std::string text) {
    return {static_cast<session::status>(session::status_of(of)),
            std::string{to_string(of)},
            std::move(text),
            {},
            false};
}

failure unavailable(std::string why, std::string to) {
    failure made = failure_of(session::kind::not_connected, std::move(why));
    made.status = session::status::Unavailable;
    made.peer = std::move(to);
    return made;
}
failure unusable(std::string why, std::string to) {
    failure made = unavailable(std::move(why), std::move(to));
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

void packed_values::add(const packed_values& from, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
        add(from[i]);
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
