#include "primitives.hpp"

#include "sum.hpp"

namespace bench {

primitives primitives::load(const std::filesystem::path&) {
    return {
        .flag = true,
        .tiny = -100,
        .small = -30'000,
        .medium = -2'000'000'000,
        .large = -9'000'000'000'000'000'000,
        .octet = 200,
        .port = 60'000,
        .count = 4'000'000'000,
        .total = 18'000'000'000'000'000'000U,
        .ratio = 0.625F,
        .value = -273.15,
        .taken_at = 1'795'231'560'123'456'789,
    };
}

std::uint64_t primitives::sum() const {
    checksum sum;
    sum.flag(flag);
    sum.signed_number(tiny);
    sum.signed_number(small);
    sum.signed_number(medium);
    sum.signed_number(large);
    sum.unsigned_number(octet);
    sum.unsigned_number(port);
    sum.unsigned_number(count);
    sum.unsigned_number(total);
    sum.float_number(ratio);
    sum.double_number(value);
    sum.signed_number(taken_at);
    return sum.value();
}

}  // namespace bench
