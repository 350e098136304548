#include "capnproto_message.hpp"
#include "primitives.capnp.h"

namespace bench {
namespace {

struct primitives_form {
    using type = cp::primitives::Primitives;

    static void fill(const primitives& from, type::Builder to) {
        to.setFlag(from.flag);
        to.setTiny(from.tiny);
        to.setSmall(from.small);
        to.setMedium(from.medium);
        to.setLarge(from.large);
        to.setOctet(from.octet);
        to.setPort(from.port);
        to.setCount(from.count);
        to.setTotal(from.total);
        to.setRatio(from.ratio);
        to.setValue(from.value);
        to.setTakenAt(from.taken_at);
    }

    static primitives plain(type::Reader from) {
        return {
            .flag = from.getFlag(),
            .tiny = from.getTiny(),
            .small = from.getSmall(),
            .medium = from.getMedium(),
            .large = from.getLarge(),
            .octet = from.getOctet(),
            .port = from.getPort(),
            .count = from.getCount(),
            .total = from.getTotal(),
            .ratio = from.getRatio(),
            .value = from.getValue(),
            .taken_at = from.getTakenAt(),
        };
    }

    static std::uint64_t sum(type::Reader from) { return plain(from).sum(); }
};

}  // namespace

void add_capnproto(std::vector<subject>& to, const std::shared_ptr<const primitives>& data) {
    capnproto_codec<primitives_form, primitives>::add(to, data);
}

}  // namespace bench
