/// The plug-in in C++: plays by the parameters of its host, and ends with it.
///
///     audio-plugin plugin ADDRESS
///
/// `audio --plugin PROGRAM` starts it in place of the plug-in in Rust.

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <string_view>
#include <thread>

#include "audio_service.hpp"
#include "mxp/net/channel.hpp"

namespace {

namespace net = mxp::net;
using clock = std::chrono::steady_clock;
using link = net::channel<audio::Meters, audio::Parameters>;

/// A block, as the host has it.
constexpr int frames = 64;
constexpr int rate = 48'000;
/// Below the host, which has the deadlines that are heard.
constexpr int priority = 69;
constexpr float hertz = 880.0F;
constexpr float turn = 6.283'185'3F;

/// A sawtooth through a low-pass filter.
class voice {
   public:
    /// Plays a block, and returns its peak.
    float play(const audio::Parameters& by) noexcept {
        const float cutoff = std::fmin(std::fmax(by.cutoff, 20.0F), rate / 2.0F);  // NaN is 20
        const float share = 1.0F - std::exp(-turn * cutoff / rate);
        float peak = 0;
        for (int frame = 0; frame < frames; ++frame) {
            filtered_ += share * (2.0F * phase_ - 1.0F - filtered_);
            phase_ += hertz / rate;
            phase_ -= std::floor(phase_);
            peak = std::fmax(peak, std::fabs(by.gain * filtered_));
        }
        return peak;
    }

   private:
    float phase_ = 0;
    float filtered_ = 0;
};

/// Asks for the needs of a thread of real time, and goes on without them.
void ask_for_real_time() {
    sched_param wanted{};
    wanted.sched_priority = priority;
    if (::sched_setscheduler(0, SCHED_FIFO, &wanted) != 0) {
        std::cerr << "plug-in: no SCHED_FIFO: " << std::strerror(errno) << "\n";
    } else {
        ::mlockall(MCL_CURRENT | MCL_FUTURE);
    }
}

/// Plays a block each period, by the newest parameters, until the host is gone.
void play(link& host) {
    ask_for_real_time();
    voice playing;
    audio::Parameters by{};
    bool has_parameters = false;
    const auto begin = clock::now();
    for (std::int64_t period = 1;; ++period) {
        std::this_thread::sleep_until(
            begin + std::chrono::nanoseconds{period * frames * 1'000'000 / (rate / 1000)});
        const auto came = host.receiver.receive(by);
        if (came == net::receive_status::closed) {
            return;
        }
        has_parameters = has_parameters || came == net::receive_status::received;
        if (!has_parameters) {
            continue;
        }
        // A host that is behind has meters enough: that there is no room is no matter.
        const auto sent = host.sender.send({by.block, by.gain, playing.play(by)});
        if (sent == net::send_status::closed) {
            return;
        }
    }
}

int run(std::string_view address) {
    net::channel_options how;
    how.responses = net::delivery::latest;
    auto opened = net::open_channel(audio::HostService::Methods::plug, address, how);
    if (!opened) {
        std::cerr << "plug-in: " << opened.error().name << "\n";
        return 1;
    }
    const auto watcher = opened->watcher();
    std::atomic<bool> has_ended{false};
    std::thread playing{[&] {
        play(*opened);
        has_ended = true;
    }};
    // A host that was killed has said nothing in memory: from here the thread that plays learns it.
    while (watcher.is_connected() && !has_ended) {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    playing.join();
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count == 3 && std::string_view{words[1]} == "plugin") {
        return run(words[2]);
    }
    std::cerr << "usage: audio-plugin plugin ADDRESS\n";
    return 1;
}
