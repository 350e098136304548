/// The comparison of a view's accessors with the owned value.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "sdp/sdp.hpp"

namespace runner {

/// Compares a view with its owned value. ../build writes one for every view.
template <class View>
struct comparison;

template <class T, class = void>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<T, std::void_t<typename T::sdp_codec>> =
    T::sdp_codec::template is_view<T>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_entries = false;
template <class K, class V>
inline constexpr bool is_entries<sdp::view::entries<K, V>> = true;

template <class T, class = void>
inline constexpr bool is_range = false;
template <class T>
inline constexpr bool is_range<T, std::void_t<decltype(std::declval<T>().begin())>> = true;

template <class T, class = void>
inline constexpr bool is_indexed = false;
template <class T>
inline constexpr bool is_indexed<T, std::void_t<decltype(std::declval<T>()[0])>> = true;

/// How many keys of a map are looked up: each look goes through the entries before it.
inline constexpr std::size_t looked_up = 16;

template <class Item, class Owned>
[[nodiscard]] bool shows(const Item& item, const Owned& owned);

template <class Items, class Owned>
[[nodiscard]] bool shows_elements(const Items& items, const Owned& owned) {
    if (items.size() != owned.size() || items.empty() != owned.empty()) {
        return false;
    }
    std::size_t i = 0;
    auto at = items.begin();
    for (const auto& one : owned) {
        if (at == items.end() || !shows(*at, one)) {
            return false;
        }
        if constexpr (is_indexed<Items>) {
            if (!shows(items[i], one)) {
                return false;
            }
        }
        ++at;
        ++i;
    }
    return at == items.end();
}

template <class Entries, class Owned>
[[nodiscard]] bool shows_entries(const Entries& entries, const Owned& owned) {
    if (entries.size() != owned.size() || entries.empty() != owned.empty()) {
        return false;
    }
    std::size_t i = 0;
    auto at = entries.begin();
    for (const auto& [key, value] : owned) {
        if (at == entries.end()) {
            return false;
        }
        const auto [shown_key, shown_value] = *at++;
        if (!shows(shown_key, key) || !shows(shown_value, value)) {
            return false;
        }
        if (i++ < looked_up) {
            const auto found = entries.find(shown_key);
            if (!found || !shows(*found, value)) {
                return false;
            }
        }
    }
    return at == entries.end();
}

/// Whether an item that a view hands out is a value of the owned form.
template <class Item, class Owned>
bool shows(const Item& item, const Owned& owned) {
    if constexpr (sdp::wire::is_indirect<Owned>) {
        return shows(item, *owned);
    } else if constexpr (is_view<Item>) {
        return comparison<Item>::holds(item, owned);
    } else if constexpr (is_optional<Item>) {
        return item.has_value() == owned.has_value() && (!item.has_value() || shows(*item, *owned));
    } else if constexpr (std::is_same_v<Item, std::string_view>) {
        return item == std::string_view(owned);
    } else if constexpr (std::is_same_v<Item, sdp::bytes_view>) {
        return item == sdp::bytes_view(owned);
    } else if constexpr (std::is_same_v<Item, sdp::unknown_ref>) {
        return item.tag == owned.tag && item.payload == sdp::bytes_view(owned.payload);
    } else if constexpr (is_entries<Item>) {
        return shows_entries(item, owned);
    } else if constexpr (is_range<Item>) {
        return shows_elements(item, owned);
    } else {
        return sdp::wire::same(item, owned);
    }
}

/// Whether an accessor shows the alternative at an index, or that it is another one.
template <std::size_t Index, class Item, class Variant>
[[nodiscard]] bool shows_alternative(const Item& item, const Variant& owned) {
    const auto* held = std::get_if<Index>(&owned);
    if constexpr (std::is_same_v<Item, bool>) {
        return item == (held != nullptr);
    } else if constexpr (std::is_same_v<Item, std::optional<sdp::unknown_ref>>) {
        return item.has_value() == (held != nullptr) && (held == nullptr || shows(*item, *held));
    } else {
        return item.has_value() == (held != nullptr) &&
               (held == nullptr || shows(*item, sdp::wire::payload_of(*held)));
    }
}

}  // namespace runner
