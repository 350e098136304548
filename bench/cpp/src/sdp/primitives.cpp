#include "primitives.hpp"

#include "cases.hpp"

namespace bench {
namespace {

struct primitives_form {
    using owned = ::primitives::Primitives;

    static owned make(const primitives& from) {
        owned to;
        to.flag = from.flag;
        to.tiny = from.tiny;
        to.small = from.small;
        to.medium = from.medium;
        to.large = from.large;
        to.octet = from.octet;
        to.port = from.port;
        to.count = from.count;
        to.total = from.total;
        to.ratio = from.ratio;
        to.value = from.value;
        to.taken_at.nanoseconds = from.taken_at;
        return to;
    }

    static primitives plain(const owned& from) {
        return {
            .flag = from.flag,
            .tiny = from.tiny,
            .small = from.small,
            .medium = from.medium,
            .large = from.large,
            .octet = from.octet,
            .port = from.port,
            .count = from.count,
            .total = from.total,
            .ratio = from.ratio,
            .value = from.value,
            .taken_at = from.taken_at.nanoseconds,
        };
    }
};

std::uint64_t sum(const ::primitives::PrimitivesView& from) {
    return primitives{
        .flag = from.flag(),
        .tiny = from.tiny(),
        .small = from.small(),
        .medium = from.medium(),
        .large = from.large(),
        .octet = from.octet(),
        .port = from.port(),
        .count = from.count(),
        .total = from.total(),
        .ratio = from.ratio(),
        .value = from.value(),
        .taken_at = from.taken_at().nanoseconds,
    }
        .sum();
}

}  // namespace

void add_sdp(std::vector<subject>& to, const std::shared_ptr<const primitives>& data) {
    auto codec = sdp_owned<primitives_form>(data);
    add_sdp_view<::primitives::PrimitivesView>(codec, sum);
    to.push_back(std::move(codec).done());
}

}  // namespace bench
