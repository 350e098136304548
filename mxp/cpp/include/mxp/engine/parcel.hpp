/// Values that have come in one frame, and wait.
#ifndef MXP_ENGINE_PARCEL_HPP
#define MXP_ENGINE_PARCEL_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../session.hpp"
#include "sdp/byte_order.hpp"

namespace mxp::engine {

/// The values of a frame until the last of them is taken, in one memory.
class parcel {
   public:
    parcel() = default;
    /// The value of a frame that has one.
    explicit parcel(bytes_view value) : data_(value.begin(), value.end()), left_(1) {}
    /// The values of a batch from one on, of which there are so many, behind other bytes.
    parcel(bytes_view prefix, bytes_view records, std::size_t count)
        : at_(static_cast<std::uint32_t>(prefix.size())),
          left_(static_cast<std::uint32_t>(count)),
          is_batch_(true) {
        data_.reserve(prefix.size() + records.size());
        data_.insert(data_.end(), prefix.begin(), prefix.end());
        data_.insert(data_.end(), records.begin(), records.end());
    }

    /// How many values are left.
    [[nodiscard]] std::size_t size() const noexcept { return left_; }
    /// Takes the next of them, which stays as long as the parcel, wherever that is moved.
    [[nodiscard]] bytes_view next() noexcept {
        --left_;
        if (!is_batch_) {
            return data_;
        }
        const std::size_t n = sdp::wire::load_number<std::uint16_t>(data_.data() + at_);
        const bytes_view value{data_.data() + at_ + session::record_bytes, n};
        at_ += static_cast<std::uint32_t>(session::record_bytes + n);
        return value;
    }
    /// The first of the bytes.
    [[nodiscard]] bytes_view first(std::size_t n) const noexcept { return {data_.data(), n}; }
    /// The bytes that it counts as until it is let go of [MXP-15.2], [MXP-17.8].
    [[nodiscard]] std::size_t held() const noexcept { return data_.size() + item_held; }

    /// The bytes that each thing that is held counts beside its own [MXP-15.2].
    static constexpr std::size_t item_held = 64;

   private:
    std::vector<std::byte> data_;
    /// Where the next value of a batch begins.
    std::uint32_t at_ = 0;
    std::uint32_t left_ = 0;
    bool is_batch_ = false;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_PARCEL_HPP
