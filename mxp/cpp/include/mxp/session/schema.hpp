/// Whether two sides mean the same by their types [MXP-6.5 to MXP-6.8].
#ifndef MXP_SESSION_SCHEMA_HPP
#define MXP_SESSION_SCHEMA_HPP

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../hash.hpp"
#include "core.hpp"
#include "ending.hpp"
#include "joint.hpp"
#include "request.hpp"
#include "sdp/layout_comparison.hpp"

namespace mxp::session {

namespace detail {

/// Of the texts in Layouts.
inline constexpr std::size_t layout_bytes = 65536;

/// A text, or nothing where there is no room for it.
[[nodiscard]] inline std::string_view take_text(std::size_t& rest, std::string_view text) {
    if (text.size() > rest) {
        return {};
    }
    rest -= text.size();
    return text;
}

/// Tells the layout text of a type from others; 0 without one [MXP-6.5].
[[nodiscard]] inline std::uint64_t layout_hash(const type& type) noexcept {
    const bytes_view text{type.layout.data(), type.layout.size()};
    return text.empty() ? 0 : wire::hash(text.data(), text.size());
}

/// Whether one list of fingerprints begins with the other [MXP-6.5].
template <class Theirs>
[[nodiscard]] bool are_compatible(const std::vector<std::uint64_t>& ours, const Theirs& hashes) {
    const std::size_t n = std::min(ours.size(), hashes.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (ours[i] != hashes[i]) {
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

/// Finds out whether the two sides read each other's type, by texts that may be missing, and gives
/// whether they tell it. If they don't, types are read whose fingerprints are alike.
[[nodiscard]] inline bool meet(clash& clash, sdp::layouts::comparison* comparison) {
    auto root = std::optional{sdp::layouts::layout_pair{0, 0}};
    if (comparison != nullptr && clash.is_hashed) {
        root = comparison->find(clash.own->name);
    }
    if (comparison != nullptr && root) {
        clash.inward = comparison->inward().difference(*root);
        clash.outward = comparison->outward().difference(*root);
        return true;
    }
    if (clash.is_alike) {
        return false;
    }
    clash.inward = clash.own->name + ": layouts unknown";
    clash.outward = clash.inward;
    return true;
}

}  // namespace detail

inline detail::shared_services session::shared_with(const control::HelloView& hello) const {
    return {detail::positions_of(config_.services,
                                 [](const std::string& name) -> std::string_view { return name; }),
            detail::positions_of(hello.services(), [](const auto& item) { return item.name(); })};
}

/// Keeps the names of types of which fingerprints alone are compared.
inline void session::note_uncompared(const std::vector<const type*>& types,
                                     const control::HelloView& hello) {
    if (types.empty()) {
        return;
    }
    const detail::shared_services shared = shared_with(hello);
    for (const type* const one : types) {
        if (shared.concern(*one)) {
            schemas_.uncompared.push_back(one->name);
        }
    }
}

/// Finds the types that may mean different bytes on the two sides [MXP-6.5].
inline void session::compare(const control::HelloView& hello) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < config_.types.size(); ++i) {
        places.emplace(config_.types[i].name, i);
    }
    std::vector<std::optional<control::TypeView>> peers(config_.types.size());
    for (const auto& one : hello.types()) {
        const auto found = places.find(one.name());
        if (found != places.end()) {
            peers[found->second] = one;
        }
    }
    std::vector<const type*> uncompared;
    for (std::size_t i = 0; i < peers.size(); ++i) {
        if (!peers[i]) {
            continue;
        }
        const type& own = config_.types[i];
        const std::uint64_t hash = detail::layout_hash(own);
        const bool is_hashed = hash != 0 && peers[i]->layout() != 0;
        const bool is_alike = detail::are_compatible(own.fingerprints, peers[i]->fingerprints());
        if (is_hashed ? hash != peers[i]->layout() : !is_alike) {
            schemas_.clashes.push_back({&own, is_hashed, is_alike, {}, {}, {}});
        } else if (!is_hashed) {
            uncompared.push_back(&own);
        }
    }
    note_uncompared(uncompared, hello);
}

/// The tolerance of this side where types clash.
inline control::Tolerance session::tolerance() const {
    const bool has_methods = std::all_of(
        schemas_.clashes.begin(), schemas_.clashes.end(), [](const detail::clash& clash) {
            return clash.own->requests.size() + clash.own->responses.size() > 0;
        });
    return has_methods ? control::Tolerance::Methods : control::Tolerance::Layouts;
}

/// Sends the texts of these types, as many as there may be, and none that only services reach which
/// neither side serves.
inline void session::send_layouts(const control::HelloView& hello) {
    const detail::shared_services shared = shared_with(hello);
    control::LayoutsRef said;
    std::size_t left = detail::layout_bytes;
    detail::joint_text joint;
    for (detail::clash& one : schemas_.clashes) {
        if (shared.concern(*one.own)) {
            if (one.is_hashed) {
                left -= joint.add(one.own->layout, left);
            } else {
                one.text = detail::take_text(left, one.own->layout);
            }
        }
        control::LayoutRef& made = said.layouts.emplace_back();
        made.name = one.own->name;
        made.text = one.text;
    }
    schemas_.joint = joint.text();
    said.joint = schemas_.joint;
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
    std::size_t left = detail::layout_bytes;
    const std::string_view joint = detail::take_text(left, said.joint());
    std::map<std::string_view, std::string_view> texts;
    for (const auto& one : said.layouts()) {
        const std::string_view text = detail::take_text(left, one.text());
        if (sdp::layouts::is_layout_text(text)) {
            texts.emplace(one.name(), text);
        }
    }
    sdp::layouts::comparison joints{schemas_.joint, joint};
    const bool is_joint =
        sdp::layouts::is_layout_text(schemas_.joint) && sdp::layouts::is_layout_text(joint);
    std::vector<const type*> uncompared;
    for (detail::clash& one : schemas_.clashes) {
        const auto found = texts.find(one.own->name);
        const std::string_view there = found == texts.end() ? std::string_view{} : found->second;
        sdp::layouts::comparison own{one.text, there};
        const bool is_own = sdp::layouts::is_layout_text(one.text) && !there.empty();
        const bool has_texts = one.is_hashed ? is_joint : is_own;
        if (!detail::meet(one, has_texts ? one.is_hashed ? &joints : &own : nullptr)) {
            uncompared.push_back(one.own);
        }
    }
    const auto why = intolerable(std::min(said.tolerance(), tolerance()));
    if (!why.empty()) {
        end(kind::schema, why);
        return std::nullopt;
    }
    control::HelloView hello;
    static_cast<void>(sdp::decode_into(hello, bytes_view{schemas_.hello}));
    note_uncompared(uncompared, hello);
    differ(hello);
    schemas_.clashes.clear();
    schemas_.joint = {};
    return make_ready(hello);
}

/// Why the session ends; empty if it goes on.
inline std::string session::intolerable(control::Tolerance least) const {
    if (least >= control::Tolerance::Methods) {
        return {};
    }
    for (const detail::clash& one : schemas_.clashes) {
        if (!one.inward.empty() || !one.outward.empty()) {
            return one.inward.empty() ? one.outward : one.inward;
        }
    }
    if (least == control::Tolerance::None) {
        return schemas_.clashes.front().own->name + ": fingerprints differ";
    }
    return {};
}

/// Finds the methods that are refused: who serves one reads its requests, and who calls it the
/// responses.
inline void session::differ(const control::HelloView& hello) {
    const detail::shared_services shared = shared_with(hello);
    const auto refuse_all = [&](const std::vector<method_name>& methods, const std::string& here,
                                const std::string& there) {
        for (const method_name& one : methods) {
            refuse_method(one, true, shared.served, here);
            refuse_method(one, false, shared.used, there);
        }
    };
    for (const detail::clash& one : schemas_.clashes) {
        refuse_all(one.own->requests, one.inward, one.outward);
    }
    for (const detail::clash& one : schemas_.clashes) {
        refuse_all(one.own->responses, one.outward, one.inward);
    }
}

/// Refuses a method of services at these positions, for the first difference that there is.
inline void session::refuse_method(const method_name& name, bool is_served,
                                   const detail::positions& services, const std::string& why) {
    const auto service = services.find(name.service);
    if (why.empty() || service == services.end()) {
        return;
    }
    const detail::target at{is_served, service->second, name.number};
    if (schemas_.refusals.emplace(at, schemas_.differences.size()).second) {
        schemas_.differences.push_back({name, is_served, why});
    }
}

inline const difference* session::find_difference(bool is_served, std::uint16_t service,
                                                  std::uint16_t method) const {
    if (schemas_.refusals.empty()) {
        return nullptr;
    }
    const auto found = schemas_.refusals.find({is_served, service, method});
    return found == schemas_.refusals.end() ? nullptr : &schemas_.differences[found->second];
}

}  // namespace mxp::session

#endif  // MXP_SESSION_SCHEMA_HPP
