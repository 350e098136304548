#include "arrays.pb.h"
#include "protobuf_message.hpp"

namespace bench {
namespace {

struct frame_form {
    using message = pb::arrays::Frame;

    static void fill(const frame& from, message& to) {
        to.mutable_samples()->Add(from.samples.begin(), from.samples.end());
        to.mutable_indices()->Add(from.indices.begin(), from.indices.end());
    }

    static frame plain(const message& from) {
        return {{from.samples().begin(), from.samples().end()},
                {from.indices().begin(), from.indices().end()}};
    }
};

}  // namespace

void add_protobuf(std::vector<subject>& to, const std::shared_ptr<const frame>& data) {
    add_protobuf_of<frame_form>(to, data);
}

}  // namespace bench
