/// A host of audio that has its plug-in in a process of its own, and outlives
/// it.
///
///     processor-host PLUGIN [SECONDS] [--kill]
///
/// Every 64 frames it has the plug-in process a block. `--kill` kills the
/// plug-in halfway, and shows that another has its state.

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callback.hpp"
#include "child.hpp"
#include "mxp/net.hpp"

namespace {

namespace net = mxp::net;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::uint32_t rate = 48'000;
constexpr std::uint64_t frames = 64;
constexpr float hertz = 440;
constexpr float turn = 6.283'185'3F;

/// The time of so many blocks.
constexpr std::chrono::nanoseconds period(std::uint64_t blocks) {
    return std::chrono::nanoseconds{blocks * frames * 1'000'000'000 / rate};
}

/// An address of its own for a plug-in. A plug-in that was killed has left its
/// socket.
class place {
   public:
    explicit place(int start)
        : name_("mxp-processor-" + std::to_string(plug::own_process()) + "-" +
                std::to_string(start)) {
#ifndef _WIN32
        name_ = (std::filesystem::temp_directory_path() / name_).string();
#endif
    }
    place(place&&) = default;
    place& operator=(place&& source) noexcept {
        std::swap(name_, source.name_);
        return *this;
    }
    ~place() {
#ifndef _WIN32
        std::error_code none;
        std::filesystem::remove(name_, none);
#endif
    }

    [[nodiscard]] std::string address() const { return "mxp+shm://" + name_; }

   private:
    std::string name_;
};

/// A plug-in that runs: its process, and the connection for calls.
struct plugin {
    place at;
    plug::child process;
    std::unique_ptr<net::blocking_client> client;
    std::unique_ptr<processor::PluginBlockingClient> calls;
    processor::Description description{};
    std::optional<net::channel_watcher> watcher{};
};

/// Starts a plug-in, restores a state, and gives its channel to the callback.
/// The error is told.
std::optional<plugin> start(const std::string& program, const processor::State& state,
                            plug::callback& callback) {
    static int starts = 0;
    place at{++starts};
    const std::string address = at.address();
    auto process = plug::child::start(program, address);
    if (!process) {
        std::cerr << "host: " << program << " can't be started\n";
        return std::nullopt;
    }
    net::blocking_options how;
    how.types = processor::PluginService::types();
    how.shm.spin = 0us;  // it is the callback's thread that may look
    plugin made{std::move(at), std::move(*process),
                std::make_unique<net::blocking_client>(address, how), nullptr};
    made.calls = std::make_unique<processor::PluginBlockingClient>(*made.client);
    const auto fail = [](const net::failure& why) {
        std::cerr << "host: " << to_string(why) << "\n";
        return std::nullopt;
    };
    net::call_options soon;
    soon.deadline = 10s;  // in which the process starts
    auto description = made.calls->prepare({rate}, soon);
    if (!description) {
        return fail(description.error());
    }
    if (const auto restored = made.calls->restore(state, soon); !restored) {
        return fail(restored.error());
    }
    auto opened = net::open_channel(processor::PluginService::Methods::process, address);
    if (!opened) {
        return fail(opened.error());
    }
    made.description = std::move(*description);
    made.watcher = opened->watcher();
    callback.connect(std::make_unique<plug::link>(std::move(*opened)));
    return made;
}

/// The device of audio: calls the callback for each block, when it is due.
void play(plug::callback& callback, std::uint64_t blocks) {
    float phase = 0;
    const auto begin = clock::now();
    for (std::uint64_t number = 1; number <= blocks; ++number) {
        std::this_thread::sleep_until(begin + period(number));
        processor::Block block;
        block.number = number;
        for (std::size_t at = 0; at < frames; ++at) {
            block.left[at] = std::sin(turn * phase);
            block.right[at] = -block.left[at];
            phase += hertz / static_cast<float>(rate);
            phase -= std::floor(phase);
        }
        callback.play(block);
    }
}

/// Has the plug-in play at a gain.
bool change(const plugin& playing, plug::callback& callback, float gain) {
    callback.expect(gain);
    const auto changed = playing.calls->change({0, gain});
    if (!changed) {
        std::cerr << "host: " << to_string(changed.error()) << "\n";
    }
    return changed && changed->value == gain;
}

int run(const std::string& program, int seconds, bool kills) {
    plug::callback callback;
    processor::State state;
    auto playing = start(program, state, callback);
    if (!playing) {
        return 1;
    }
    std::cout << "plug-in " << playing->description.name << " has "
              << playing->description.parameters.size() << " parameter(s)\n";
    const std::uint64_t blocks = static_cast<std::uint64_t>(seconds) * rate / frames;
    std::thread device{[&] { play(callback, blocks); }};
    const auto& counted = callback.counted();
    int restarts = 0;
    bool is_well = true;
    for (float gain = 1; is_well && counted.blocks < blocks;) {
        std::this_thread::sleep_for(50ms);
        callback.collect();
        if (!playing->watcher->is_connected()) {
            std::cout << "the plug-in is gone: another is started\n";
            ++restarts;
            playing = start(program, state, callback);
            is_well = playing.has_value();
            continue;
        }
        gain = gain > 0.3F ? gain * 0.9F : 1;
        is_well = change(*playing, callback, gain);
        if (auto saved = playing->calls->save({}); saved) {
            state = std::move(*saved);
        }
        if (kills && restarts == 0 && counted.blocks > blocks / 2) {
            playing->process.kill();
        }
    }
    device.join();
    callback.close();
    playing.reset();
    std::cout << "blocks " << counted.blocks << ", processed " << counted.processed << ", missed "
              << counted.missed << ", alone " << counted.alone << ", wrong " << counted.wrong
              << ", restarts " << restarts << "\n";
    return is_well && counted.wrong == 0 && counted.processed > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> all(words + 1, words + count);
    bool kills = false;
    std::vector<std::string> rest;
    for (const auto& word : all) {
        if (word == "--kill") {
            kills = true;
        } else {
            rest.push_back(word);
        }
    }
    const int seconds = rest.size() == 2 ? std::atoi(rest[1].c_str()) : 5;
    if (rest.empty() || rest.size() > 2 || seconds < 1) {
        std::cerr << "usage: processor-host PLUGIN [SECONDS] [--kill]\n";
        return 2;
    }
    return run(rest[0], seconds, kills);
}
