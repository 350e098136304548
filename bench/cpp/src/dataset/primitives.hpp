#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace bench {

/// The twelve fields of `bench/schemas/primitives.sdp`, one of each primitive type.
struct primitives {
    /// The data set's name in results and on the command line.
    static constexpr std::string_view dataset = "primitives";

    bool flag;
    std::int8_t tiny;
    std::int16_t small;
    std::int32_t medium;
    std::int64_t large;
    std::uint8_t octet;
    std::uint16_t port;
    std::uint32_t count;
    std::uint64_t total;
    float ratio;
    double value;
    /// Nanoseconds since 1970.
    std::int64_t taken_at;

    bool operator==(const primitives&) const = default;

    /// Makes it; it is in no file.
    static primitives load(const std::filesystem::path& data);

    /// The sum that a reader of every field comes to.
    std::uint64_t sum() const;
};

}  // namespace bench
