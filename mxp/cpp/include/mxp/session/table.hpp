/// Exchanges by their ids, and their deadlines.
#ifndef MXP_SESSION_TABLE_HPP
#define MXP_SESSION_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "counter.hpp"
#include "number.hpp"

namespace mxp::session {

/// Elements by their `id`. Ids are given out in ascending order [MXP-5.2], so that a new element
/// goes to the end, and a sorted vector has them all: it is gone through in order, no choice of ids
/// by a peer can slow it down, and an element takes no memory of its own.
template <class T>
class table {
   public:
    /// The element with an id, if it is there. It stays where it is until one is added or removed.
    [[nodiscard]] T* find(std::uint64_t id) noexcept {
        const std::size_t at = place(id);
        return at < slots_.size() && slots_[at].is_there && slots_[at].element.id == id
                   ? &slots_[at].element
                   : nullptr;
    }

    /// Adds an element whose id is greater than all others.
    T& add(T element) {
        slots_.push_back({std::move(element), true});
        ++count_;
        return slots_.back().element;
    }

    void remove(std::uint64_t id) {
        const std::size_t at = place(id);
        slots_[at].is_there = false;
        --count_;
        while (first_ < slots_.size() && !slots_[first_].is_there) {
            ++first_;
        }
        if (count_ == 0) {
            clear();
        } else if (slots_.size() > 2 * count_ + spare) {
            slots_.erase(std::remove_if(slots_.begin(), slots_.end(),
                                        [](const slot& entry) { return !entry.is_there; }),
                         slots_.end());
            first_ = 0;
        }
    }

    /// Hands all elements to a function, in ascending order of their ids.
    template <class Function>
    void each(Function function) {
        for (std::size_t i = first_; i < slots_.size(); ++i) {
            if (slots_[i].is_there) {
                function(slots_[i].element);
            }
        }
    }

    void clear() noexcept {
        slots_.clear();
        first_ = 0;
        count_ = 0;
    }

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }

   private:
    struct slot {
        T element;
        bool is_there;
    };

    /// How many slots of elements that were removed are kept in any case.
    static constexpr std::size_t spare = 32;

    /// Where the element with an id is, if it is there.
    [[nodiscard]] std::size_t place(std::uint64_t id) const noexcept {
        if (first_ == slots_.size()) {
            return first_;
        }
        // Ids mostly follow each other by twos.
        const std::uint64_t base = slots_[first_].element.id;
        if (id >= base && (id - base) / 2 < slots_.size() - first_) {
            const std::size_t guess = first_ + static_cast<std::size_t>((id - base) / 2);
            if (slots_[guess].element.id == id) {
                return guess;
            }
        }
        const auto found = std::lower_bound(
            slots_.begin() + static_cast<std::ptrdiff_t>(first_), slots_.end(), id,
            [](const slot& entry, std::uint64_t number) { return entry.element.id < number; });
        return static_cast<std::size_t>(found - slots_.begin());
    }

    std::vector<slot> slots_;
    /// No slot before it has an element.
    std::size_t first_ = 0;
    counter count_;
};

/// Deadlines by time and then by id [MXP-10.1]. Deadlines of exchanges that have ended are left in
/// a heap until they come to its top, or are too many.
class deadlines {
   public:
    struct deadline {
        std::uint64_t time = 0;
        std::uint64_t id = 0;

        friend bool operator>(const deadline& a, const deadline& b) noexcept {
            return a.time > b.time || (a.time == b.time && a.id > b.id);
        }
    };

    void add(std::uint64_t time, std::uint64_t id) {
        if (time == never) {
            return;
        }
        heap_.push_back({time, id});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }

    /// The earliest, whose exchange `tidy` has left.
    [[nodiscard]] std::optional<deadline> first() const {
        return heap_.empty() ? std::nullopt : std::optional{heap_.front()};
    }

    /// Removes what is not live, of at most `count` that are. It is called when one no longer is.
    template <class IsLive>
    void tidy(std::size_t count, IsLive is_live) {
        if (heap_.size() > 2 * count + spare) {
            heap_.erase(std::remove_if(heap_.begin(), heap_.end(),
                                       [&](const deadline& entry) { return !is_live(entry.id); }),
                        heap_.end());
            std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
        }
        while (!heap_.empty() && !is_live(heap_.front().id)) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
            heap_.pop_back();
        }
    }

    void clear() noexcept { heap_.clear(); }

   private:
    static constexpr std::size_t spare = 64;

    std::vector<deadline> heap_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_TABLE_HPP
