#include "../dataset/sum.hpp"
#include "flatbuffers_table.hpp"
#include "primitives_generated.h"

namespace bench {
namespace {

struct primitives_form {
    using table = fb::primitives::Primitives;

    struct lists {};

    static auto build(const primitives& from, ::flatbuffers::FlatBufferBuilder& builder, lists&) {
        return fb::primitives::CreatePrimitives(
            builder, from.flag, from.tiny, from.small, from.medium, from.large, from.octet,
            from.port, from.count, from.total, from.ratio, from.value, from.taken_at);
    }

    static primitives plain(const table& from) {
        return {
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
            .taken_at = from.taken_at(),
        };
    }

    static std::uint64_t sum(const table& from) { return plain(from).sum(); }
};

}  // namespace

void add_flatbuffers(std::vector<subject>& to, const std::shared_ptr<const primitives>& data) {
    add_flatbuffers_of<primitives_form>(to, data);
}

}  // namespace bench
