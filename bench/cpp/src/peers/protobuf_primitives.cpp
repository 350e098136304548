#include "primitives.pb.h"
#include "protobuf_message.hpp"

namespace bench {
namespace {

struct primitives_form {
    using message = pb::primitives::Primitives;

    static void fill(const primitives& from, message& to) {
        to.set_flag(from.flag);
        to.set_tiny(from.tiny);
        to.set_small(from.small);
        to.set_medium(from.medium);
        to.set_large(from.large);
        to.set_octet(from.octet);
        to.set_port(from.port);
        to.set_count(from.count);
        to.set_total(from.total);
        to.set_ratio(from.ratio);
        to.set_value(from.value);
        to.set_taken_at(from.taken_at);
    }

    // Protobuf has no type below 32 bits; the numbers were of the narrower types.
    static primitives plain(const message& from) {
        return {
            .flag = from.flag(),
            .tiny = static_cast<std::int8_t>(from.tiny()),
            .small = static_cast<std::int16_t>(from.small()),
            .medium = from.medium(),
            .large = from.large(),
            .octet = static_cast<std::uint8_t>(from.octet()),
            .port = static_cast<std::uint16_t>(from.port()),
            .count = from.count(),
            .total = from.total(),
            .ratio = from.ratio(),
            .value = from.value(),
            .taken_at = from.taken_at(),
        };
    }
};

}  // namespace

void add_protobuf(std::vector<subject>& to, const std::shared_ptr<const primitives>& data) {
    add_protobuf_of<primitives_form>(to, data);
}

}  // namespace bench
