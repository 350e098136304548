#include "arrays.hpp"

#include "../dataset/sum.hpp"
#include "cases.hpp"

namespace bench {
namespace {

struct frame_form {
    using owned = arrays::Frame;

    static owned make(const frame& from) {
        owned to;
        to.samples = from.samples;
        to.indices = from.indices;
        return to;
    }

    static frame plain(const owned& from) { return {from.samples, from.indices}; }
};

frame plain_borrowed(const sdp::result<arrays::FrameRef>& decoded) {
    const arrays::FrameRef& from = taken(decoded);
    frame to;
    to.samples.assign(from.samples.begin(), from.samples.end());
    to.indices.assign(from.indices.begin(), from.indices.end());
    return to;
}

std::uint64_t sum(const arrays::FrameView& from) {
    checksum sum;
    for (const float sample : from.samples()) {
        sum.float_number(sample);
    }
    for (const std::uint32_t index : from.indices()) {
        sum.unsigned_number(index);
    }
    return sum.value();
}

}  // namespace

void add_sdp(std::vector<subject>& to, const std::shared_ptr<const frame>& data) {
    auto codec = sdp_owned<frame_form>(data);
    codec.decode_fresh(
        task::decode_borrowed, codec.bytes(),
        [](byte_span bytes) { return sdp::decode<arrays::FrameRef>(view_of(bytes)); },
        plain_borrowed);
    add_sdp_view<arrays::FrameView>(codec, sum);
    to.push_back(std::move(codec).done());
}

}  // namespace bench
