/// How two sessions meet [MXP-6].
#ifndef MXP_SESSION_HELLO_HPP
#define MXP_SESSION_HELLO_HPP

#include <algorithm>
#include <map>

#include "core.hpp"
#include "ending.hpp"
#include "sending.hpp"

namespace mxp::session {

namespace detail {

/// The version of the protocol.
inline constexpr std::uint16_t version = 1;

/// Says in Hello that trailers may be 0.
inline constexpr std::uint32_t offer_checksum_off = 1;

/// Of the texts in Layouts.
inline constexpr std::size_t layout_bytes = 65536;

/// Whether one list of fingerprints begins with the other [MXP-6.5].
template <class Theirs>
[[nodiscard]] bool are_compatible(const std::vector<std::uint64_t>& ours, const Theirs& theirs) {
    const std::size_t n = std::min(ours.size(), theirs.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (ours[i] != theirs[i]) {
            return false;
        }
    }
    return true;
}

/// Takes a line from the front of a text.
[[nodiscard]] inline std::string_view line_of(std::string_view& text) noexcept {
    const std::size_t n = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, n);
    text.remove_prefix(std::min(n + 1, text.size()));
    return line;
}

/// The name in a block's first line, which is its third word.
[[nodiscard]] inline std::optional<std::string_view> name_in(std::string_view line) noexcept {
    for (int words = 0;; ++words) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const std::string_view word = line.substr(0, std::min(line.find(' '), line.size()));
        if (word.empty()) {
            return std::nullopt;
        }
        if (words == 2) {
            return word;
        }
        line.remove_prefix(word.size());
    }
}

[[nodiscard]] inline std::string_view without_space(std::string_view line) noexcept {
    if (!line.empty() && line.front() == ' ') {
        line.remove_prefix(1);
    }
    return line;
}

/// Names the first line in which two layout texts differ [MXP-6.6].
[[nodiscard]] inline std::string difference(std::string_view here, std::string_view there) {
    std::string_view block;
    for (;;) {
        const bool is_last = here.empty() || there.empty();
        const std::string_view ours = line_of(here);
        const std::string_view theirs = line_of(there);
        if (!ours.empty() && ours.front() != ' ' && ours.front() != '@') {
            block = name_in(ours).value_or(block);
        }
        if (is_last || ours != theirs) {
            std::string made{block};
            made.append(": here \"").append(without_space(ours));
            made.append("\", there \"").append(without_space(theirs)).append("\"");
            return made;
        }
    }
}

}  // namespace detail

inline session::session(config of, role side, std::uint64_t now)
    : config_(std::move(of)),
      role_(side),
      clock_(now),
      reader_(checksum::on, std::min(config_.payload_bytes, payload_bytes)),
      refused_(config_.limits, now),
      began_(now),
      heard_(now),
      progress_(now) {
    config_.payload_bytes = std::min(config_.payload_bytes, payload_bytes);
    greet();
}

/// Sends Hello [MXP-6.1]. What can't be said in one ends the session.
inline void session::greet() {
    control::HelloRef hello;
    hello.version = detail::version;
    hello.payload_bytes = static_cast<std::uint32_t>(config_.payload_bytes);
    hello.offers = config_.offers_checksum_off ? detail::offer_checksum_off : 0;
    for (const std::string& name : config_.services) {
        hello.services.emplace_back().name = name;
    }
    for (const type& one : config_.types) {
        control::TypeRef& made = hello.types.emplace_back();
        made.name = one.name;
        made.fingerprints = span<const std::uint64_t>{one.fingerprints};
    }
    if (lay(frame_type::hello, hello, {})) {
        put({frame_type::hello}, {});
    } else {
        end(kind::payload_too_large);
    }
}

/// Takes the peer's Hello.
inline std::optional<incoming> session::take_hello(bytes_view payload) {
    if (phase_ == phase::comparing) {
        take_layouts(payload);
        return std::nullopt;
    }
    control::HelloView hello;
    if (!read(hello, payload)) {
        return std::nullopt;
    }
    if (hello.version() < detail::version) {
        end(kind::version);
        return std::nullopt;
    }
    accepts_ = std::min<std::size_t>(hello.payload_bytes(), payload_bytes);
    compare(hello);
    if (config_.offers_checksum_off) {
        reader_.check(checksum::off);
        if ((hello.offers() & detail::offer_checksum_off) != 0) {
            checksum_ = checksum::off;
        }
    }
    if (!clashes_.empty()) {
        phase_ = phase::comparing;
        send_layouts();
        return std::nullopt;
    }
    phase_ = phase::ready;
    if (config_.observer != nullptr) {
        config_.observer->on_ready();
    }
    return in::ready{hello.services()};
}

/// Finds the types that mean different bytes on the two sides [MXP-6.5].
inline void session::compare(const control::HelloView& theirs) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < config_.types.size(); ++i) {
        places.emplace(config_.types[i].name, i);
    }
    std::vector<bool> clashes(config_.types.size());
    for (const auto& one : theirs.types()) {
        const auto found = places.find(one.name());
        if (found != places.end()) {
            clashes[found->second] = !detail::are_compatible(
                config_.types[found->second].fingerprints, one.fingerprints());
        }
    }
    for (std::size_t i = 0; i < clashes.size(); ++i) {
        if (clashes[i]) {
            clashes_.push_back({config_.types[i].name, config_.types[i].layout});
        }
    }
}

/// Sends the texts of these types, as many as there may be.
inline void session::send_layouts() {
    control::LayoutsRef said;
    std::size_t left = detail::layout_bytes;
    for (clash& one : clashes_) {
        if (one.text.size() > left) {
            one.text = {};
        }
        left -= one.text.size();
        control::LayoutRef& made = said.layouts.emplace_back();
        made.name = one.name;
        made.text = one.text;
    }
    send({frame_type::hello}, said);
}

/// Ends the session, and says where the types differ [MXP-6.6].
inline void session::take_layouts(bytes_view payload) {
    control::LayoutsView said;
    if (!read(said, payload)) {
        return;
    }
    std::map<std::string_view, std::string_view> texts;
    for (const auto& one : said.layouts()) {
        texts.emplace(one.name(), one.text());
    }
    for (const clash& one : clashes_) {
        const auto theirs = texts.find(one.name);
        if (theirs != texts.end() && !one.text.empty() && !theirs->second.empty() &&
            one.text != theirs->second) {
            end(kind::schema,
                std::string{one.name} + ": " + detail::difference(one.text, theirs->second));
            return;
        }
    }
    end(kind::schema, std::string{clashes_.front().name});
}

}  // namespace mxp::session

#endif  // MXP_SESSION_HELLO_HPP
