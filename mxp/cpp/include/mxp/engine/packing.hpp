/// The compiled functions of values that lie one behind the other.
#ifndef MXP_ENGINE_PACKING_HPP
#define MXP_ENGINE_PACKING_HPP

#include "packed_values.hpp"

namespace mxp::engine {

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

}  // namespace mxp::engine

#endif  // MXP_ENGINE_PACKING_HPP
