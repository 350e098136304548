// Reads a plugin registry that some other program wrote, in byte mode or in message mode, and
// writes it again:
//
//     registry_example INPUT OUTPUT

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <ios>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plugins.hpp"

namespace {

using plugins::PluginRegistry;
using plugins::PluginRegistryRef;
using plugins::PluginRegistryView;
using bytes = std::vector<std::byte>;

std::optional<std::string> read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    return file ? std::optional(std::move(text)) : std::nullopt;
}

bool write(const char* path, const bytes& data) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
    return static_cast<bool>(file.flush());
}

// Decodes a message, whose type is found by its id, and encodes it again.
sdp::result<bytes> message_again(std::string_view data) {
    const auto message = plugins::decode_message(data);
    if (!message) {
        return sdp::unexpected(message.error());
    }
    return std::visit([](const auto& value) { return sdp::encode_message(value); }, *message);
}

sdp::result<bytes> value_again(std::string_view data) {
    const auto registry = sdp::decode<PluginRegistry>(data);
    if (!registry) {
        return sdp::unexpected(registry.error());
    }
    return sdp::encode(*registry);
}

// The shortest of some runs, in microseconds, each of which says whether it succeeded.
template <class Run>
double best(Run run) {
    using clock = std::chrono::steady_clock;
    auto shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 200; ++i) {
        const auto start = clock::now();
        if (!run()) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        const std::chrono::duration<double, std::micro> took = clock::now() - start;
        shortest = std::min(shortest, took.count());
    }
    return shortest;
}

// The parameters of all plugins.
std::size_t count(const PluginRegistryView& view) {
    std::size_t n = 0;
    for (const auto& plugin : view.plugins()) {
        n += plugin.parameters().size();
    }
    return n;
}

// Prints the best time of each way through a registry.
void measure(std::string_view data) {
    const auto registry = sdp::decode<PluginRegistry>(data);
    const std::size_t parameters = count(*sdp::decode<PluginRegistryView>(data));
    bytes buffer;
    const double encode = best([&] {
        buffer.clear();
        return sdp::append(*registry, buffer).has_value();
    });
    const double owned = best([&] { return sdp::decode<PluginRegistry>(data).has_value(); });
    const double borrowed = best([&] { return sdp::decode<PluginRegistryRef>(data).has_value(); });
    const double viewed = best([&] {
        const auto view = sdp::decode<PluginRegistryView>(data);
        return view && count(*view) == parameters;
    });
    std::printf("encode %.1f · decode owned %.1f, borrowed %.1f · validate and count through a "
                "view %.1f\n",
                encode, owned, borrowed, viewed);
}

int fail(const std::string& why) {
    std::fprintf(stderr, "registry_example: %s\n", why.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: registry_example INPUT OUTPUT\n", stderr);
        return 2;
    }
    const auto data = read(argv[1]);
    if (!data) {
        return fail(std::string("can't read ") + argv[1]);
    }
    const bool is_message = data->compare(0, 4, "SDP2") == 0;
    const auto again = is_message ? message_again(*data) : value_again(*data);
    if (!again) {
        return fail(again.error().message());
    }
    if (!write(argv[2], *again)) {
        return fail(std::string("can't write ") + argv[2]);
    }
    if (!is_message) {
        measure(*data);
    }
    return 0;
}
