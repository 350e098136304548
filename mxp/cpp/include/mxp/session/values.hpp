/// The values that a user sends.
#ifndef MXP_SESSION_VALUES_HPP
#define MXP_SESSION_VALUES_HPP

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "../frame.hpp"

namespace mxp::session {

/// From which length on a value is not copied behind its frame's head.
inline constexpr std::size_t large_bytes = 8192;

/// A value that is to be sent. Bytes that lie elsewhere are copied before the call returns; a
/// vector that is moved in is not copied if it is large, but sent from where it lies, as is memory
/// that others hold, too.
class value {
   public:
    value() = default;
    value(value&&) = default;
    value& operator=(value&&) = default;
    value(std::vector<std::byte>&& owned) noexcept : owned_(std::move(owned)), bytes_(owned_) {}
    template <class Bytes, std::enable_if_t<std::is_constructible_v<bytes_view, const Bytes&> &&
                                                !std::is_same_v<Bytes, value>,
                                            int> = 0>
    value(const Bytes& borrowed) noexcept : bytes_(borrowed) {}

    value(std::shared_ptr<const std::vector<std::byte>> bytes) noexcept
        : shared_(std::move(bytes)), bytes_(*shared_) {}

    [[nodiscard]] bytes_view bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
    [[nodiscard]] bool is_large() const noexcept { return size() >= large_bytes; }

    /// The bytes in memory of their own.
    [[nodiscard]] std::vector<std::byte> own() && {
        if (owned_.empty()) {
            return {bytes_.begin(), bytes_.end()};
        }
        return std::move(owned_);
    }

    /// The bytes in memory that others may hold, too.
    [[nodiscard]] std::shared_ptr<const std::vector<std::byte>> shared() && {
        if (shared_ == nullptr) {
            return std::make_shared<const std::vector<std::byte>>(std::move(*this).own());
        }
        return std::move(shared_);
    }

    /// The same bytes, to be sent while this value stays: it has memory of its own from then on. A
    /// large one is not copied again.
    [[nodiscard]] value share() {
        if (is_large()) {
            *this = value{std::move(*this).shared()};
            return value{shared_};
        }
        if (owned_.empty() && shared_ == nullptr) {
            *this = value{std::move(*this).own()};
        }
        return value{bytes_};
    }

   private:
    std::vector<std::byte> owned_;
    std::shared_ptr<const std::vector<std::byte>> shared_;
    bytes_view bytes_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_VALUES_HPP
