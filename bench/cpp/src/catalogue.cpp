#include "catalogue.hpp"

#include <array>

#include "peers/capnproto.hpp"
#include "peers/flatbuffers.hpp"
#include "peers/protobuf.hpp"
#include "peers/reference.hpp"
#include "sdp/subjects.hpp"

namespace bench {
namespace {

template <class T>
std::vector<subject> open(const std::filesystem::path& folder) {
    const auto data = std::make_shared<const T>(T::load(folder));
    std::vector<subject> all;
    add_sdp(all, data);
    add_protobuf(all, data);
    add_flatbuffers(all, data);
    add_capnproto(all, data);
    add_reference(all, data);
    return all;
}

template <class T>
constexpr dataset of() {
    return {T::dataset, open<T>};
}

constexpr std::array all_datasets = {of<plugin_registry>(), of<primitives>(), of<frame>()};

}  // namespace

std::span<const dataset> datasets() noexcept { return all_datasets; }

}  // namespace bench
