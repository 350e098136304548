/// Servers that open channels, and their remains.
#ifndef MXP_TESTS_NET_SHM_CHANNELS_HPP
#define MXP_TESTS_NET_SHM_CHANNELS_HPP

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "golden/meters_service.hpp"
#include "mxp/net/channel.hpp"
#include "sharing.hpp"

namespace sharing {

using meters::Block;
using meters::Level;
using methods = meters::MetersService::Methods;
using levels = net::channel<Level, Level>;
using net::channel_end;
using net::channel_options;
using net::receive_status;
using net::send_status;

/// The slots of a ring of 4,096 bytes.
constexpr std::uint64_t slots = 4096 / 64;

/// A level of which each field says which one it is.
[[nodiscard]] inline Level level(std::uint64_t n) {
    Level made;
    made.sequence = n;
    made.place = n % 2 == 0 ? meters::Place::Input : meters::Place::Output;
    made.is_muted = n % 3 == 0;
    made.peak = static_cast<float>(n % 1000);
    return made;
}

[[nodiscard]] inline channel_options latest() {
    channel_options made;
    made.requests = net::delivery::latest;
    made.responses = net::delivery::latest;
    made.capacity = 4;
    return made;
}

/// The outcome of a look for a level: a value, nothing, or the end.
struct taken {
    receive_status how = receive_status::empty;
    std::uint64_t n = 0;
};

[[nodiscard]] inline bool operator==(const taken& a, const taken& b) {
    return a.how == b.how && a.n == b.n;
}
inline std::ostream& operator<<(std::ostream& to, const taken& one) {
    return to << static_cast<int>(one.how) << " " << one.n;
}

constexpr taken nothing{receive_status::empty, 0};
constexpr taken over{receive_status::closed, 0};

[[nodiscard]] inline taken value(std::uint64_t n) { return {receive_status::received, n}; }

/// Takes a level, which is whole.
[[nodiscard]] inline taken take(net::channel_receiver<Level>& from) {
    Level one;
    const receive_status how = from.receive(one);
    if (how != receive_status::received) {
        return {how, 0};
    }
    EXPECT_EQ(one, level(one.sequence));
    return value(one.sequence);
}

/// A server that hands over each channel that is opened.
class desk {
   public:
    struct opened {
        levels channel;
        net::peer who;
    };

    explicit desk(const channel_options& by = {}, net::server_options how = {}) {
        const auto all = std::make_shared<net::channels>();
        all->add(methods::levels, by, [this](levels one, const net::peer& who) {
            const std::lock_guard<std::mutex> lock{mutex_};
            opened_.push_back({std::move(one), who});
            news_.notify_all();
        });
        start(all, std::move(how));
    }
    desk(std::shared_ptr<const net::channels> all, net::server_options how) {
        start(std::move(all), std::move(how));
    }
    desk(const desk&) = delete;
    desk& operator=(const desk&) = delete;
    ~desk() {
        server_->close();
        EXPECT_TRUE(soon([this] { return connections() == 0; }));
        context_.stop();
        thread_.join();
    }

    [[nodiscard]] std::size_t connections() const { return server_->connections(); }
    [[nodiscard]] journal& log() { return log_; }
    /// The next channel that was opened.
    [[nodiscard]] opened take() {
        std::unique_lock<std::mutex> lock{mutex_};
        EXPECT_TRUE(news_.wait_for(lock, 20s, [this] { return !opened_.empty(); }));
        opened one = std::move(opened_.front());
        opened_.pop_front();
        return one;
    }
    [[nodiscard]] bool has_opened() {
        const std::lock_guard<std::mutex> lock{mutex_};
        return !opened_.empty();
    }
    [[nodiscard]] net::outcome<levels> open(const channel_options& by = {}) const {
        return net::open_channel(methods::levels, address, by);
    }
    /// Drains, and waits until that is done.
    void drain(std::chrono::milliseconds most) {
        std::promise<void> done;
        server_->drain("done", most, [&] { done.set_value(); });
        EXPECT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
    }

    std::string address;

   private:
    void start(std::shared_ptr<const net::channels> all, net::server_options how) {
        how.channels = std::move(all);
        how.logger = log_.logger();
        address = folder_.at("s", "shm");
        server_.emplace(context_, net::services{}, how);
        EXPECT_TRUE(server_->listen(address));
        thread_ = std::thread{[this] {
            while (!context_.stopped()) {
                try {
                    context_.run();
                } catch (const std::runtime_error& thrown) {
                    log_.logger()(net::severity::error, thrown.what());
                }
            }
        }};
    }

    running::folder folder_;
    journal log_;
    std::mutex mutex_{};
    std::condition_variable news_{};
    std::deque<opened> opened_{};
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> works_ =
        asio::make_work_guard(context_);
    std::optional<net::server> server_;
    std::thread thread_;
};

/// Both sides of a channel of levels.
struct both {
    explicit both(const channel_options& by = {})
        : server(by), here(*server.open(by)), there(server.take().channel) {}

    desk server;
    levels here;
    levels there;
};

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_CHANNELS_HPP
