/// What a user sends.
#ifndef MXP_SESSION_VALUE_HPP
#define MXP_SESSION_VALUE_HPP

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "../frame.hpp"

namespace mxp::session {

/// From which length on a value is not copied behind its frame's head.
inline constexpr std::size_t large_bytes = 8192;

/// A value that is to be sent. Bytes that lie elsewhere are copied before the call returns; a
/// vector that is moved in is not copied if it is large, but sent from where it lies.
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

   private:
    std::vector<std::byte> owned_;
    bytes_view bytes_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_VALUE_HPP
