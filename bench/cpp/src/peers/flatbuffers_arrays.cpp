#include "../dataset/sum.hpp"
#include "arrays_generated.h"
#include "flatbuffers_table.hpp"

namespace bench {
namespace {

struct frame_form {
    using table = fb::arrays::Frame;

    struct lists {};

    static auto build(const frame& from, ::flatbuffers::FlatBufferBuilder& builder, lists&) {
        const auto samples = builder.CreateVector(from.samples);
        const auto indices = builder.CreateVector(from.indices);
        return fb::arrays::CreateFrame(builder, samples, indices);
    }

    // On a little-endian machine, which results are of, the elements lie as they do in memory.
    static frame plain(const table& from) {
        const auto& samples = *from.samples();
        const auto& indices = *from.indices();
        return {{samples.data(), samples.data() + samples.size()},
                {indices.data(), indices.data() + indices.size()}};
    }

    static std::uint64_t sum(const table& from) {
        checksum sum;
        for (const float sample : *from.samples()) {
            sum.float_number(sample);
        }
        for (const std::uint32_t index : *from.indices()) {
            sum.unsigned_number(index);
        }
        return sum.value();
    }
};

}  // namespace

void add_flatbuffers(std::vector<subject>& to, const std::shared_ptr<const frame>& data) {
    add_flatbuffers_of<frame_form>(to, data);
}

}  // namespace bench
