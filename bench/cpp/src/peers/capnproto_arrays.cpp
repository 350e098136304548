#include "../dataset/sum.hpp"
#include "arrays.capnp.h"
#include "capnproto_message.hpp"

namespace bench {
namespace {

struct frame_form {
    using type = cp::arrays::Frame;

    static void fill(const frame& from, type::Builder to) {
        auto samples = to.initSamples(static_cast<unsigned>(from.samples.size()));
        for (unsigned i = 0; i < samples.size(); ++i) {
            samples.set(i, from.samples[i]);
        }
        auto indices = to.initIndices(static_cast<unsigned>(from.indices.size()));
        for (unsigned i = 0; i < indices.size(); ++i) {
            indices.set(i, from.indices[i]);
        }
    }

    static frame plain(type::Reader from) {
        const auto samples = from.getSamples();
        const auto indices = from.getIndices();
        frame to{std::vector<float>(samples.size()), std::vector<std::uint32_t>(indices.size())};
        for (unsigned i = 0; i < samples.size(); ++i) {
            to.samples[i] = samples[i];
        }
        for (unsigned i = 0; i < indices.size(); ++i) {
            to.indices[i] = indices[i];
        }
        return to;
    }

    static std::uint64_t sum(type::Reader from) {
        checksum sum;
        for (const float sample : from.getSamples()) {
            sum.float_number(sample);
        }
        for (const std::uint32_t index : from.getIndices()) {
            sum.unsigned_number(index);
        }
        return sum.value();
    }
};

}  // namespace

void add_capnproto(std::vector<subject>& to, const std::shared_ptr<const frame>& data) {
    capnproto_codec<frame_form, frame>::add(to, data);
}

}  // namespace bench
