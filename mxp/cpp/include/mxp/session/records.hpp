/// The values of a batch [MXP-17.3].
#ifndef MXP_SESSION_RECORDS_HPP
#define MXP_SESSION_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "../frame.hpp"
#include "sdp/byte_order.hpp"
#include "sdp/spec_gen.hpp"

namespace mxp::session {

/// The bytes of a record before its value: how many that has.
inline constexpr std::size_t record_bytes = 2;

/// Values in the order in which they lie in a payload: a range of `bytes_view`. A range that was
/// read has at least one value.
class records {
   public:
    class iterator {
       public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = bytes_view;
        using difference_type = std::ptrdiff_t;
        using pointer = const bytes_view*;
        using reference = bytes_view;

        iterator() = default;
        explicit iterator(const std::byte* position) noexcept : at_(position) {}

        [[nodiscard]] bytes_view operator*() const noexcept { return {at_ + record_bytes, size()}; }
        iterator& operator++() noexcept {
            at_ += record_bytes + size();
            return *this;
        }
        iterator operator++(int) noexcept {
            const iterator was = *this;
            ++*this;
            return was;
        }
        [[nodiscard]] bool operator==(const iterator& right) const noexcept {
            return at_ == right.at_;
        }
        [[nodiscard]] bool operator!=(const iterator& right) const noexcept {
            return at_ != right.at_;
        }

       private:
        friend class records;

        [[nodiscard]] std::size_t size() const noexcept {
            return sdp::wire::load_number<std::uint16_t>(at_);
        }

        const std::byte* at_ = nullptr;
    };

    /// Finds the values of a batch, or returns why the bytes have none.
    [[nodiscard]] std::optional<sdp::kind> read(bytes_view input) noexcept {
        std::size_t at = 0;
        count_ = 0;
        do {
            if (input.size() - at < record_bytes) {
                return sdp::kind::truncated;
            }
            const std::size_t n = sdp::wire::load_number<std::uint16_t>(input.data() + at);
            at += record_bytes;
            if (n > input.size() - at) {
                return sdp::kind::length_exceeds_input;
            }
            at += n;
            ++count_;
        } while (at < input.size());
        from_ = input;
        return std::nullopt;
    }

    [[nodiscard]] iterator begin() const noexcept { return iterator{from_.data()}; }
    [[nodiscard]] iterator end() const noexcept { return iterator{from_.data() + from_.size()}; }
    /// The bytes from a value on, with the numbers of the records.
    [[nodiscard]] bytes_view from(iterator position) const noexcept {
        return {position.at_, static_cast<std::size_t>(from_.data() + from_.size() - position.at_)};
    }
    /// How many values there are.
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// How many bytes they have together.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return from_.size() - record_bytes * count_;
    }

   private:
    bytes_view from_{};
    std::size_t count_ = 0;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_RECORDS_HPP
