#include "words.hpp"

#include <algorithm>

namespace runner {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> made;
    for (;;) {
        const std::size_t end = std::min(text.find(separator), text.size());
        made.push_back(text.substr(0, end));
        if (end == text.size()) {
            return made;
        }
        text.remove_prefix(end + 1);
    }
}

std::string text_of(const bytes& from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

std::string shown(mxp::bytes_view from) { return from.empty() ? "-" : hex(from); }

words::words(std::string_view line) {
    for (const std::string_view word : split(line, ' ')) {
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos) {
            pairs_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        } else if (verb_.empty()) {
            verb_ = word;
        } else {
            is_wrong_ = true;
        }
    }
}

const std::string_view* words::find(std::string_view key) const {
    for (const auto& [name, value] : pairs_) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

std::vector<std::string_view> words::all(std::string_view key) const {
    std::vector<std::string_view> made;
    for (const auto& [name, value] : pairs_) {
        if (name == key) {
            made.push_back(value);
        }
    }
    return made;
}

std::string_view words::text(std::string_view key) {
    const auto* const found = find(key);
    is_wrong_ = is_wrong_ || found == nullptr;
    return found == nullptr ? std::string_view{} : *found;
}

std::uint64_t words::number(std::string_view key) {
    const auto made = runner::number(text(key));
    is_wrong_ = is_wrong_ || !made;
    return made.value_or(0);
}

std::uint64_t words::number_or(std::string_view key, std::uint64_t otherwise) {
    return has(key) ? number(key) : otherwise;
}

bytes words::from(std::string_view text) {
    auto made = from_hex(text);
    is_wrong_ = is_wrong_ || !made;
    return made ? *std::move(made) : bytes{};
}

bytes words::hex(std::string_view key) { return from(text(key)); }

std::string words::hex_text(std::string_view key) { return text_of(hex(key)); }

std::vector<std::string> words::hex_list(std::string_view key) {
    std::vector<std::string> made;
    const std::string_view whole = text(key);
    if (whole != "-") {
        for (const std::string_view one : split(whole, ',')) {
            made.push_back(text_of(from(one)));
        }
    }
    return made;
}

mxp::registry::Registration words::registration() {
    mxp::registry::Registration made;
    made.name = hex_text("name");
    made.capabilities = hex_list("capabilities");
    made.lease = number("lease");
    made.addresses = has("addresses") ? hex_list("addresses") : made.addresses;
    made.services = has("services") ? hex_list("services") : made.services;
    made.epoch = number_or("epoch", 0);
    return made;
}

mxp::registry::Query words::query() {
    mxp::registry::Query made;
    made.capability = hex_text("capability");
    made.name = has("name") ? hex_text("name") : made.name;
    made.service = has("service") ? hex_text("service") : made.service;
    made.version = number_or("version", 0);
    return made;
}

std::optional<mxp::session::trace_context> words::trace() {
    if (!has("trace") || text("trace") == "-") {
        return std::nullopt;
    }
    const auto parts = split(text("trace"), ':');
    mxp::session::trace_context made;
    const bytes id = from(parts[0]);
    const auto parent = parts.size() == 3 ? runner::number(parts[1]) : std::nullopt;
    const auto flags = parts.size() == 3 ? runner::number(parts[2]) : std::nullopt;
    if (id.size() != made.id.size() || !parent || !flags || *flags > 255) {
        is_wrong_ = true;
        return std::nullopt;
    }
    std::transform(id.begin(), id.end(), made.id.begin(),
                   [](std::byte one) { return std::to_integer<std::uint8_t>(one); });
    made.parent = *parent;
    made.flags = static_cast<std::uint8_t>(*flags);
    return made;
}

std::vector<std::pair<std::string, bytes>> words::metadata() {
    std::vector<std::pair<std::string, bytes>> made;
    if (!has("meta") || text("meta") == "-") {
        return made;
    }
    for (const std::string_view one : split(text("meta"), ',')) {
        const auto parts = split(one, ':');
        if (parts.size() != 2) {
            is_wrong_ = true;
            break;
        }
        made.emplace_back(text_of(from(parts[0])), from(parts[1]));
    }
    return made;
}

}  // namespace runner
