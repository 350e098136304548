/// Whether two sides mean the same by their types [MXP-6.5 to MXP-6.8].
#ifndef MXP_SESSION_SCHEMA_HPP
#define MXP_SESSION_SCHEMA_HPP

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core.hpp"
#include "ending.hpp"
#include "reading.hpp"
#include "request.hpp"

namespace mxp::session {

namespace detail {

/// Of the texts in Layouts.
inline constexpr std::size_t layout_bytes = 65536;

/// A text, or nothing where there is no room for it.
[[nodiscard]] inline std::string_view take_text(std::size_t& left, std::string_view text) {
    if (text.size() > left) {
        return {};
    }
    left -= text.size();
    return text;
}

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

/// The numbers of services, by their names. Of two of one name the first counts: a peer that
/// repeats one has no more refused than there are methods here.
template <class Services, class Name>
[[nodiscard]] std::map<std::string_view, std::uint16_t> positions_of(const Services& services,
                                                                     const Name& name_of) {
    std::map<std::string_view, std::uint16_t> made;
    std::uint32_t number = 0;
    for (const auto& one : services) {
        if (number > 0xffff) {
            break;
        }
        made.emplace(name_of(one), static_cast<std::uint16_t>(number++));
    }
    return made;
}

}  // namespace detail

/// Finds the types that may mean different bytes on the two sides [MXP-6.5].
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
            clashes_.push_back({&config_.types[i], {}, {}, {}});
        }
    }
}

/// The tolerance of this side where types clash.
inline control::Tolerance session::tolerance() const {
    const bool has_methods = std::all_of(clashes_.begin(), clashes_.end(), [](const clash& one) {
        return one.of->requests.size() + one.of->responses.size() > 0;
    });
    return has_methods ? control::Tolerance::Methods : control::Tolerance::Layouts;
}

/// Sends the texts of these types, as many as there may be, and none that only services reach
/// which neither side serves.
inline void session::send_layouts(const control::HelloView& theirs) {
    const auto served = detail::positions_of(
        config_.services, [](const std::string& name) -> std::string_view { return name; });
    const auto used =
        detail::positions_of(theirs.services(), [](const auto& one) { return one.name(); });
    const auto is_shared = [&](const method_name& one) {
        return served.count(one.service) + used.count(one.service) > 0;
    };
    const auto concerns = [&](const type& one) {
        return one.requests.size() + one.responses.size() == 0 ||
               std::any_of(one.requests.begin(), one.requests.end(), is_shared) ||
               std::any_of(one.responses.begin(), one.responses.end(), is_shared);
    };
    control::LayoutsRef said;
    std::size_t left = detail::layout_bytes;
    for (clash& one : clashes_) {
        if (concerns(*one.of)) {
            one.text = detail::take_text(left, one.of->layout);
        }
        control::LayoutRef& made = said.layouts.emplace_back();
        made.name = one.of->name;
        made.text = one.text;
    }
    said.tolerance = tolerance();
    send({frame_type::hello}, said);
}

/// Finds out which types read each other, and refuses the methods of all others, or ends the
/// session [MXP-6.6, MXP-6.8].
inline std::optional<incoming> session::take_layouts(bytes_view payload) {
    control::LayoutsView said;
    if (!read(said, payload)) {
        return std::nullopt;
    }
    std::map<std::string_view, std::string_view> texts;
    std::size_t left = detail::layout_bytes;
    for (const auto& one : said.layouts()) {
        const std::string_view text = detail::take_text(left, one.text());
        if (detail::is_layout_text(text)) {
            texts.emplace(one.name(), text);
        }
    }
    for (clash& one : clashes_) {
        const auto theirs = texts.find(one.of->name);
        meet(one, theirs == texts.end() ? std::string_view{} : theirs->second);
    }
    const auto why = intolerable(std::min(said.tolerance(), tolerance()));
    if (!why.empty()) {
        end(kind::schema, why);
        return std::nullopt;
    }
    control::HelloView hello;
    static_cast<void>(sdp::decode_into(hello, bytes_view{hello_}));
    differ(hello);
    clashes_.clear();
    return make_ready(hello);
}

/// Compares the layout texts of a type.
inline void session::meet(clash& of, std::string_view theirs) {
    if (!detail::is_layout_text(of.text) || theirs.empty()) {
        of.inward = of.of->name + ": layouts unknown";
        of.outward = of.inward;
        return;
    }
    const detail::layout_text here{of.text};
    const detail::layout_text there{theirs};
    of.inward = detail::reading{here, there, true}.difference();
    of.outward = detail::reading{here, there, false}.difference();
}

/// Why the session ends; empty if it goes on.
inline std::string session::intolerable(control::Tolerance least) const {
    if (least >= control::Tolerance::Methods) {
        return {};
    }
    for (const clash& one : clashes_) {
        if (!one.inward.empty() || !one.outward.empty()) {
            return one.inward.empty() ? one.outward : one.inward;
        }
    }
    if (least == control::Tolerance::None) {
        return clashes_.front().of->name + ": fingerprints differ";
    }
    return {};
}

/// Finds the methods that are refused: who serves one reads its requests, and who calls it the
/// responses.
inline void session::differ(const control::HelloView& hello) {
    const auto served = detail::positions_of(
        config_.services, [](const std::string& name) -> std::string_view { return name; });
    const auto used =
        detail::positions_of(hello.services(), [](const auto& one) { return one.name(); });
    const auto refuse_all = [&](const std::vector<method_name>& methods, const std::string& here,
                                const std::string& there) {
        for (const method_name& one : methods) {
            refuse_method(one, true, served, here);
            refuse_method(one, false, used, there);
        }
    };
    for (const clash& one : clashes_) {
        refuse_all(one.of->requests, one.inward, one.outward);
    }
    for (const clash& one : clashes_) {
        refuse_all(one.of->responses, one.outward, one.inward);
    }
}

/// Refuses a method of services at these positions, for the first difference that there is.
inline void session::refuse_method(const method_name& of, bool is_served, const positions& services,
                                   const std::string& why) {
    const auto service = services.find(of.service);
    if (why.empty() || service == services.end()) {
        return;
    }
    const target at{is_served, service->second, of.number};
    if (refusals_.emplace(at, differences_.size()).second) {
        differences_.push_back({of, is_served, why});
    }
}

inline const difference* session::find_difference(bool is_served, std::uint16_t service,
                                                  std::uint16_t method) const {
    if (refusals_.empty()) {
        return nullptr;
    }
    const auto found = refusals_.find({is_served, service, method});
    return found == refusals_.end() ? nullptr : &differences_[found->second];
}

}  // namespace mxp::session

#endif  // MXP_SESSION_SCHEMA_HPP
