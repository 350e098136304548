/// The runner's table of a schema's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value.hpp"

namespace runner {

/// An answer, and how many bytes the decode asked the allocator for.
struct measured {
    answer made;
    std::size_t allocated = 0;
};

using decoding = measured (*)(sdp::bytes_view input, const sdp::decode_options& options);

/// Values that are decoded into, again and again.
class used {
   public:
    used() = default;
    used(const used&) = delete;
    used& operator=(const used&) = delete;
    virtual ~used() = default;

    [[nodiscard]] virtual measured decode(sdp::bytes_view input,
                                          const sdp::decode_options& options) = 0;
};

/// One type of a schema.
struct type {
    std::string_view name;
    std::string layout;
    std::size_t factor = 0;
    sdp::span<const std::uint64_t> segments;
    sdp::span<const std::uint64_t> cumulative;
    std::optional<std::uint16_t> type_id;
    decoding owned;
    decoding borrowed;
    decoding view;
    decoding prefix;
    std::unique_ptr<used> (*use)();
    /// Null if the type has no type id.
    decoding message;
};

/// Takes what a stream reads, none at its end, and says whether to go on.
using each = std::function<bool(const answer* read)>;

/// One schema file.
struct schema {
    std::string_view name;
    std::vector<type> types;
    /// Null if no type has a type id.
    decoding dispatch = nullptr;
    void (*stream)(sdp::bytes_view input, const sdp::decode_options& options,
                   const each& take) = nullptr;
};

/// All schemas. ../build writes them.
[[nodiscard]] const std::vector<const schema*>& schemas();

}  // namespace runner
