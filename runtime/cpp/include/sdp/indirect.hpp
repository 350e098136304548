/// Values in memory of their own: what is too large to lie in the struct that holds it, or would
/// contain itself.
#ifndef SDP_INDIRECT_HPP
#define SDP_INDIRECT_HPP

#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "construction.hpp"

namespace sdp::wire {

/// Whether something is a value for one of type `T` behind a pointer, and not one itself, nor its
/// allocator. The conversion to `T` is tested last, since `T` may be incomplete until then.
template <class Given, class Holder, class T>
inline constexpr bool is_value_for =
    std::conjunction_v<std::negation<std::is_same<std::decay_t<Given>, Holder>>,
                       std::negation<std::is_convertible<Given, typename Holder::allocator_type>>,
                       std::is_convertible<Given, T>>;

}  // namespace sdp::wire

namespace sdp {

/// A value behind a pointer, or none. It copies, compares and is const as the value is. It is to
/// `std::optional<T>` what a box is to a drawer: the same contents, elsewhere.
template <class T, class Allocator = std::allocator<T>>
class indirect_optional {
   public:
    using value_type = T;
    using allocator_type = Allocator;

    indirect_optional() = default;
    explicit indirect_optional(const allocator_type& allocator) noexcept : allocator_(allocator) {}
    template <class U = T, std::enable_if_t<wire::is_value_for<U, indirect_optional, T>, int> = 0>
    indirect_optional(U&& value) {
        emplace(std::forward<U>(value));
    }
    indirect_optional(const indirect_optional& peer) : indirect_optional(peer, select(peer)) {}
    indirect_optional(indirect_optional&& peer) noexcept
        : allocator_(peer.allocator_), value_(std::exchange(peer.value_, nullptr)) {}
    indirect_optional(const indirect_optional& peer, const allocator_type& allocator)
        : allocator_(allocator) {
        if (peer.value_ != nullptr) {
            emplace(*peer.value_);
        }
    }
    indirect_optional(indirect_optional&& peer, const allocator_type& allocator)
        : allocator_(allocator) {
        *this = std::move(peer);
    }
    ~indirect_optional() { reset(); }

    indirect_optional& operator=(const indirect_optional& peer) {
        if (this == &peer) {
            return *this;
        }
        if (peer.value_ == nullptr) {
            reset();
        } else if (value_ != nullptr) {
            *value_ = *peer.value_;
        } else {
            emplace(*peer.value_);
        }
        return *this;
    }
    indirect_optional& operator=(indirect_optional&& peer) noexcept(
        std::allocator_traits<Allocator>::is_always_equal::value) {
        if (this == &peer) {
            return *this;
        }
        if (allocator_ == peer.allocator_) {
            std::swap(value_, peer.value_);
            peer.reset();
        } else if (peer.value_ == nullptr) {
            reset();
        } else {
            emplace(std::move(*peer.value_));
        }
        return *this;
    }

    /// Makes a value, and removes an earlier one first.
    template <class... Arguments>
    T& emplace(Arguments&&... arguments) {
        reset();
        room made_in(allocator_);
        if constexpr (sizeof...(Arguments) == 0) {
            wire::make(made_in.memory, resource());
        } else if constexpr (has_resource) {
            // A polymorphic allocator hands its resource on to the values that it constructs.
            allocator_.construct(made_in.memory, std::forward<Arguments>(arguments)...);
        } else {
            ::new (static_cast<void*>(made_in.memory)) T(std::forward<Arguments>(arguments)...);
        }
        value_ = std::exchange(made_in.memory, nullptr);
        return *value_;
    }
    void reset() noexcept {
        if (value_ != nullptr) {
            remove();
        }
    }

    [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept { return value_ != nullptr; }
    T& operator*() noexcept { return *value_; }
    const T& operator*() const noexcept { return *value_; }
    T* operator->() noexcept { return value_; }
    const T* operator->() const noexcept { return value_; }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_; }

    friend bool operator==(const indirect_optional& a, const indirect_optional& b) {
        return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
    }
    friend bool operator!=(const indirect_optional& a, const indirect_optional& b) {
        return !(a == b);
    }

   private:
    static constexpr bool has_resource = !std::is_same_v<allocator_type, std::allocator<T>>;

    [[nodiscard]] std::pmr::memory_resource* resource() const noexcept {
        if constexpr (has_resource) {
            return allocator_.resource();
        } else {
            return nullptr;
        }
    }

    /// Removes the value. It is a function of its own: it would else be compiled into the functions
    /// of each list around it, with all that the value holds, and again at each level.
    [[gnu::noinline]] void remove() noexcept {
        using traits = std::allocator_traits<allocator_type>;
        traits::destroy(allocator_, value_);
        traits::deallocate(allocator_, value_, 1);
        value_ = nullptr;
    }

    /// Memory that is given back if no value comes of it.
    struct room {
        explicit room(allocator_type& pool)
            : allocator(pool), memory(std::allocator_traits<allocator_type>::allocate(pool, 1)) {}
        room(const room&) = delete;
        room& operator=(const room&) = delete;
        ~room() {
            if (memory != nullptr) {
                std::allocator_traits<allocator_type>::deallocate(allocator, memory, 1);
            }
        }
        allocator_type& allocator;
        T* memory;
    };

    static allocator_type select(const indirect_optional& peer) {
        return std::allocator_traits<Allocator>::select_on_container_copy_construction(
            peer.allocator_);
    }

    allocator_type allocator_{};
    T* value_ = nullptr;
};

/// A value behind a pointer. It copies and compares as the value does. A new one is that of `T{}`
/// and takes no memory until it is touched; so is one that was moved from.
template <class T, class Allocator = std::allocator<T>>
class indirect {
   public:
    using value_type = T;
    using allocator_type = Allocator;

    indirect() = default;
    explicit indirect(const allocator_type& allocator) noexcept : held_(allocator) {}
    template <class U = T, std::enable_if_t<wire::is_value_for<U, indirect, T>, int> = 0>
    indirect(U&& value) : held_(std::forward<U>(value)) {}
    indirect(const indirect&) = default;
    indirect(indirect&&) noexcept = default;
    indirect(const indirect& peer, const allocator_type& allocator)
        : held_(peer.held_, allocator) {}
    indirect(indirect&& peer, const allocator_type& allocator)
        : held_(std::move(peer.held_), allocator) {}
    ~indirect() = default;
    indirect& operator=(const indirect&) = default;
    indirect& operator=(indirect&&) = default;

    /// The value, to be written to: it is made now if it was not touched before.
    T& operator*() { return held_.has_value() ? *held_ : held_.emplace(); }
    T* operator->() { return &**this; }
    /// The value, to be read. All that were not touched share one.
    const T& operator*() const { return held_.has_value() ? *held_ : untouched(); }
    const T* operator->() const { return &**this; }

    /// Whether the value was touched, so that it has memory of its own.
    [[nodiscard]] bool is_made() const noexcept { return held_.has_value(); }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return held_.get_allocator(); }

    friend bool operator==(const indirect& a, const indirect& b) { return *a == *b; }
    friend bool operator!=(const indirect& a, const indirect& b) { return !(a == b); }

   private:
    static const T& untouched() {
        static const T value = wire::initial<T>();
        return value;
    }

    indirect_optional<T, Allocator> held_;
};

}  // namespace sdp

namespace sdp::pmr {

template <class T>
using indirect = ::sdp::indirect<T, std::pmr::polymorphic_allocator<T>>;

template <class T>
using indirect_optional = ::sdp::indirect_optional<T, std::pmr::polymorphic_allocator<T>>;

}  // namespace sdp::pmr

#endif  // SDP_INDIRECT_HPP
