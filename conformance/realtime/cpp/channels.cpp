/// How channels are opened and filled: nothing of it is on the path.
#include "channels.hpp"

#include <unistd.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "../operations.h"
#include "audio_service.hpp"
#include "mxp/net.hpp"

namespace realtime {
namespace {

namespace net = mxp::net;

/// The slots that the ring has.
constexpr std::size_t slots = 4;

constexpr auto& frames = audio::DeskService::Methods::frames;

struct both_sides {
    net::channel<audio::Frame, audio::Frame> here;
    net::channel<audio::Frame, audio::Frame> there;
};

/// A channel whose server is there as long as the program: one that is gone has closed it.
std::optional<direction> opened(net::delivery how) {
    net::channel_options by;
    by.requests = how;
    by.capacity = slots;
    char folder[] = "/tmp/realtime-XXXXXX";
    if (::mkdtemp(folder) == nullptr) {
        return std::nullopt;
    }
    const std::string place = std::string{folder} + "/s";
    auto* const context = new asio::io_context{1};
    std::promise<net::channel<audio::Frame, audio::Frame>> come;
    net::server_options with;
    const auto all = std::make_shared<net::channels>();
    all->add(frames, by, [&come](net::channel<audio::Frame, audio::Frame> one, const net::peer&) {
        come.set_value(std::move(one));
    });
    with.channels = all;
    auto* const server = new net::server{*context, {}, with};
    std::optional<direction> made;
    if (server->listen("mxp+shm://" + place)) {
        std::thread serving{[context] {
            const auto works = asio::make_work_guard(*context);
            context->run();
        }};
        if (auto here = net::open_channel(frames, "mxp+shm://" + place, by)) {
            auto* const both = new both_sides{std::move(*here), come.get_future().get()};
            made.emplace(direction{std::move(both->here.sender), std::move(both->there.receiver)});
        }
        context->stop();
        serving.join();
    }
    ::unlink(place.c_str());
    ::rmdir(folder);
    return made;
}

}  // namespace

bool channels::fill(std::size_t level, const audio::Frame& frame) {
    using net::receive_status;
    using net::send_status;
    const std::size_t fill = level * slots / REALTIME_LEVELS;
    audio::Frame got;
    while (sent.sender.send(frame) == send_status::sent) {
    }
    bool is_done = sent.sender.closed() == net::channel_end::none;
    for (std::size_t n = fill; n < slots; ++n) {
        is_done = sent.receiver.receive(got) == receive_status::received && is_done;
    }
    while (received.receiver.receive(got) == receive_status::received) {
    }
    for (std::size_t n = 0; n <= fill; ++n) {
        is_done = received.sender.send(frame) == send_status::sent && is_done;
    }
    for (std::size_t n = 0; n < fill; ++n) {
        is_done = latest.sender.send(frame) == send_status::sent && is_done;
    }
    return is_done;
}

std::unique_ptr<channels> open_channels() {
    auto sent = opened(net::delivery::queue);
    auto received = opened(net::delivery::queue);
    auto latest = opened(net::delivery::latest);
    if (!sent || !received || !latest) {
        return nullptr;
    }
    return std::make_unique<channels>(
        channels{std::move(*sent), std::move(*received), std::move(*latest)});
}

}  // namespace realtime
