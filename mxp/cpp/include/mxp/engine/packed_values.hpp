/// Values that lie one behind the other.
#ifndef MXP_ENGINE_PACKED_VALUES_HPP
#define MXP_ENGINE_PACKED_VALUES_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "../frame.hpp"

namespace mxp::engine {

/// Values that are sent one after the other, in memory of their own.
class packed_values {
   public:
    packed_values() = default;
    template <class Range, class Element = decltype(*std::begin(std::declval<const Range&>())),
              std::enable_if_t<std::is_constructible_v<bytes_view, Element>, int> = 0>
    packed_values(const Range& values) {
        for (const auto& one : values) {
            add(bytes_view{one});
        }
    }

    void add(bytes_view value);
    /// Adds several of others.
    void add(const packed_values& source, std::size_t first, std::size_t count);
    void clear() noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
    [[nodiscard]] bytes_view operator[](std::size_t i) const noexcept;
    /// How many bytes they have.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }

   protected:
    /// The bytes, to which a value is appended that `end` ends.
    [[nodiscard]] std::vector<std::byte>& open() noexcept { return bytes_; }
    void end();

   private:
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> ends_;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_PACKED_VALUES_HPP
