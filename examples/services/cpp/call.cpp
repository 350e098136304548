#include <iostream>

#include "desk.hpp"
#include "mixer_service.hpp"

namespace desk {

namespace {

namespace net = mxp::net;
using desk_client = mixer::MixerBlockingClient;

/// Says with every request who makes it.
void introduce(net::outgoing_request& asked) {
    asked.metadata.emplace_back("user", std::vector<std::byte>{std::byte{'e'}});
}

net::outcome<void> fade(const desk_client& desk) {
    auto steps = desk.fade();
    if (!steps) {
        return net::failed_outcome{steps.error()};
    }
    for (const float decibels : {0.0F, -3.0F, -6.0F, -9.0F}) {
        if (!steps->write({1, decibels})) {
            break;  // finish says why
        }
    }
    const auto last = steps->finish();
    if (!last) {
        return net::failed_outcome{last.error()};
    }
    std::cout << "faded to " << last->decibels << "\n";
    return {};
}

net::outcome<void> ride(const desk_client& desk) {
    auto talk = desk.ride();
    if (!talk) {
        return net::failed_outcome{talk.error()};
    }
    for (const float decibels : {-6.0F, -3.0F, 0.0F}) {
        if (const auto sent = talk->write({2, decibels}); !sent) {
            return sent;
        }
        const auto gain = talk->read();
        if (!gain) {
            return net::failed_outcome{gain.error()};
        }
        if (*gain) {
            std::cout << "channel 2 is at " << (*gain)->decibels << "\n";
        }
    }
    return talk->finish();
}

net::outcome<void> mute(const desk_client& desk) {
    net::event_options acked;
    acked.requires_ack = true;  // returns when it was taken
    return desk.muted({3, 0}, acked);
}

net::outcome<void> list(const desk_client& desk) {
    auto gains = desk.list({0, 7});
    if (!gains) {
        return net::failed_outcome{gains.error()};
    }
    for (;;) {
        const auto gain = gains->read();
        if (!gain) {
            return net::failed_outcome{gain.error()};
        }
        if (!*gain) {
            return {};
        }
        std::cout << "channel " << (*gain)->channel << " has " << (*gain)->decibels << "\n";
        if ((*gain)->channel == 3) {
            return {};  // which ends the stream
        }
    }
}

net::outcome<void> fail(const desk_client& desk) {
    net::call_options soon;
    soon.deadline = std::chrono::seconds{1};  // the server knows it too
    const auto gain = desk.gain({99, 0}, soon);
    if (!gain) {
        std::cout << "channel 99: " << gain.error().name << ", status "
                  << static_cast<unsigned>(gain.error().status)
                  << ", may have acted: " << std::boolalpha << gain.error().acted << "\n";
    }
    return {};
}

}  // namespace

int call(const std::string& address) {
    net::blocking_options how;
    how.types = mixer::MixerService::types();  // a schema that differs is found before a call
    how.interceptors = {introduce};
    net::blocking_client client{address, how};
    const desk_client desk{client};
    for (const auto ask : {fade, ride, mute, list, fail}) {
        if (const auto done = ask(desk); !done) {
            std::cerr << done.error().name << " " << done.error().text << "\n";
            return 1;
        }
    }
    return 0;
}

}  // namespace desk
