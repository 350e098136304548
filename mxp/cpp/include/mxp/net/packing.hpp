/// The compiled functions of values that lie one behind the other.
#ifndef MXP_NET_PACKING_HPP
#define MXP_NET_PACKING_HPP

#include "typed_several.hpp"

namespace mxp::net {

void packed_values::add(bytes_view value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    end();
}

void packed_values::add(const packed_values& from, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
        add(from[i]);
    }
}

void packed_values::clear() noexcept {
    bytes_.clear();
    ends_.clear();
}

bytes_view packed_values::operator[](std::size_t i) const noexcept {
    const std::size_t from = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + from, ends_[i] - from};
}

void packed_values::end() { ends_.push_back(bytes_.size()); }

sdp::span<const bytes_view> detail::encoded_values::views() {
    views_.clear();
    views_.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
        views_.push_back((*this)[i]);
    }
    return {views_.data(), views_.size()};
}

}  // namespace mxp::net

#endif  // MXP_NET_PACKING_HPP
