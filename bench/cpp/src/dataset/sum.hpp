#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace bench {

/// The running checksum of a value that is read field by field, the same as in the other languages.
/// It keeps readers honest: one that leaves a field out comes to another sum.
class checksum {
   public:
    /// Adds an integer.
    void unsigned_number(std::uint64_t value) noexcept { value_ += value; }

    /// Adds an integer with a sign, as the 64 bits of its two's complement.
    void signed_number(std::int64_t value) noexcept { value_ += static_cast<std::uint64_t>(value); }

    /// Adds the bits of a float.
    void float_number(float value) noexcept { value_ += std::bit_cast<std::uint32_t>(value); }

    /// Adds the bits of a double.
    void double_number(double value) noexcept { value_ += std::bit_cast<std::uint64_t>(value); }

    /// Adds 1 for true.
    void flag(bool value) noexcept { value_ += value ? 1 : 0; }

    /// Adds the length and the last byte, so that a reader must find the contents, not only the
    /// length.
    void text(std::string_view value) noexcept {
        if (!value.empty()) {
            value_ += value.size() + static_cast<unsigned char>(value.back());
        }
    }

    std::uint64_t value() const noexcept { return value_; }

   private:
    std::uint64_t value_ = 0;
};

}  // namespace bench
