/// Several values of a schema that are sent, or have come, at once.
#ifndef MXP_NET_TYPED_SEVERAL_HPP
#define MXP_NET_TYPED_SEVERAL_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "../engine/packed_values.hpp"
#include "sdp/span.hpp"
#include "typed.hpp"

namespace mxp::net::detail {

/// Values that several chunks are decoded into, whose memory is used again: as much as 64 KiB of
/// chunks take.
template <class T>
class decoded_values {
   public:
    /// Decodes chunks, until one can't be. Returns the failure of that, if there is one.
    [[nodiscard]] std::optional<failure> decode(sdp::span<const bytes_view> chunks,
                                                bool is_response) {
        if (values_.size() < chunks.size()) {
            values_.resize(chunks.size());
            sizes_.resize(chunks.size());
        }
        for (count_ = 0; count_ < chunks.size(); ++count_) {
            const bytes_view chunk = chunks[count_];
            if (const auto done = sdp::decode_into(values_[count_], chunk); !done) {
                return failure_of(done.error(),
                                  is_response ? session::status::DataLoss
                                              : session::status::InvalidArgument,
                                  true);
            }
            std::size_t& most = sizes_[count_];
            kept_ += std::max(most, chunk.size()) - most;
            most = std::max(most, chunk.size());
        }
        return std::nullopt;
    }
    /// The values that were decoded.
    [[nodiscard]] sdp::span<T> values() noexcept { return {values_.data(), count_}; }
    /// Drops the values' memory if it is too much.
    void trim() {
        if (kept_ > kept_most) {
            *this = {};
        }
    }

   private:
    static constexpr std::size_t kept_most = 65536;

    std::vector<T> values_;
    /// The most bytes that each was decoded from, and all together.
    std::vector<std::size_t> sizes_;
    std::size_t kept_ = 0;
    std::size_t count_ = 0;
};

/// Values that are encoded one behind the other.
class encoded_values : public engine::packed_values {
   public:
    /// Adds a value, or returns why it can't be encoded.
    template <class T>
    [[nodiscard]] std::optional<failure> add(const T& value, bool is_request) {
        if (const auto done = sdp::append(value, open()); !done) {
            return failure_of(
                done.error(),
                is_request ? session::status::InvalidArgument : session::status::Internal, true);
        }
        end();
        return std::nullopt;
    }
    /// Adds the values of a range, until one can't be encoded: returns why.
    template <class T, class Range>
    [[nodiscard]] std::optional<failure> add_all(Range&& values, bool is_request) {
        for (const auto& one : values) {
            if (auto failed = add(static_cast<const T&>(one), is_request)) {
                return failed;
            }
        }
        return std::nullopt;
    }
    /// The values, until others are added.
    [[nodiscard]] sdp::span<const bytes_view> views();

   private:
    std::vector<bytes_view> views_;
};

/// Adds the values of events, until one can't be encoded: returns why, as a client says it.
template <class T, class Range, class Caller>
[[nodiscard]] std::optional<failure> add_events(encoded_values& target, Range&& values,
                                                const Caller& caller, const method& method) {
    auto failed = target.add_all<T>(values, true);
    if (failed) {
        failed->acted = false;
        failed = caller.explained(method, std::move(*failed));
    }
    return failed;
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_TYPED_SEVERAL_HPP
