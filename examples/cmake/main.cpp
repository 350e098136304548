// A mixing desk that sends to a screen; both are this one program.

#include <cstddef>
#include <cstdio>
#include <vector>

#include "mixer.hpp"

namespace {

// The line that the screen shows for each type of message.
void show(const mixer::Desk& desk) {
    std::printf("%s has %zu channels\n", desk.name.c_str(), desk.channels.size());
}

void show(const mixer::LevelChanged& changed) {
    std::printf("channel %d is at %g dB now\n", changed.channel,
                static_cast<double>(changed.level.decibel));
}

// Reports an error, and ends the program with it.
int fail(const sdp::error& error) {
    std::fprintf(stderr, "mixer: %s\n", error.message().c_str());
    return 1;
}

}  // namespace

int main() {
    const company::audio::Level loud{-3.5F, false};
    mixer::Desk desk;
    desk.name = "Hall 2";
    desk.channels = {{1, loud}, {2, {0, true}}};

    std::vector<std::byte> frames[2];
    if (auto done = sdp::append_message(desk, frames[0]); !done) {
        return fail(done.error());
    }
    if (auto done = sdp::append_message(mixer::LevelChanged{2, loud}, frames[1]); !done) {
        return fail(done.error());
    }
    for (const auto& frame : frames) {
        const auto message = mixer::decode_message(frame);
        if (!message) {
            return fail(message.error());
        }
        std::visit([](const auto& value) { show(value); }, *message);
    }
    return 0;
}
