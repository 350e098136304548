/// Servers and clients of shared memory, and their remains.
#ifndef MXP_TESTS_NET_SHM_SHARING_HPP
#define MXP_TESTS_NET_SHM_SHARING_HPP

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "remains.hpp"

namespace sharing {

using namespace std::chrono_literals;

/// Waits until something holds that other threads do.
[[nodiscard]] inline bool soon(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

/// The lines of a log.
class journal {
   public:
    [[nodiscard]] net::logger logger() {
        return [this](net::severity, std::string_view line) {
            const std::lock_guard<std::mutex> lock{mutex_};
            lines_.emplace_back(line);
        };
    }
    /// How many lines have a text.
    [[nodiscard]] std::size_t count(const std::string& text) const {
        const std::lock_guard<std::mutex> lock{mutex_};
        return static_cast<std::size_t>(
            std::count_if(lines_.begin(), lines_.end(),
                          [&](const auto& line) { return line.find(text) != line.npos; }));
    }
    [[nodiscard]] std::string text() const {
        const std::lock_guard<std::mutex> lock{mutex_};
        std::string made;
        for (const auto& line : lines_) {
            made += line + "\n";
        }
        return made;
    }

   private:
    mutable std::mutex mutex_{};
    std::vector<std::string> lines_{};
};

/// A server on a thread of its own, which keeps the transports of admitted clients.
class served {
   public:
    explicit served(net::server_options how = {}, const std::string& scheme = "shm")
        : served(std::move(how), scheme, {}) {}
    served(net::server_options how, const std::string& scheme, std::string at) {
        how.logger = log_.logger();
        how.admit = [this](const net::peer& who) {
            const std::lock_guard<std::mutex> lock{mutex_};
            transports_.push_back(who.transport);
            EXPECT_TRUE(who.process);
            return std::nullopt;
        };
        address = at.empty() ? folder_.at("s", scheme) : std::move(at);
        server_.emplace(context_, running::echo(seen_), how);
        EXPECT_TRUE(server_->listen(address));
        thread_ = std::thread{[this] {
            context_.run();
            seen_->held.clear();
        }};
    }
    served(const served&) = delete;
    served& operator=(const served&) = delete;
    ~served() {
        // Connections end as a server's do.
        server_->close();
        EXPECT_TRUE(soon([this] { return connections() == 0; }));
        context_.stop();
        thread_.join();
    }

    [[nodiscard]] std::size_t connections() const { return server_->connections(); }
    [[nodiscard]] ms::statistics stats() const { return server_->stats(); }
    [[nodiscard]] journal& log() { return log_; }
    /// The transports of the clients that came since the last time, when there are so many.
    [[nodiscard]] std::vector<std::string> transports(std::size_t n) {
        EXPECT_TRUE(soon([&] {
            const std::lock_guard<std::mutex> lock{mutex_};
            return transports_.size() >= n;
        }));
        const std::lock_guard<std::mutex> lock{mutex_};
        return std::exchange(transports_, {});
    }
    /// The same place over its socket.
    [[nodiscard]] std::string plain() const {
        return "mxp+" + running::plain + address.substr(address.find(':'));
    }

    std::string address;

   private:
    running::folder folder_;
    journal log_;
    std::mutex mutex_{};
    std::vector<std::string> transports_{};
    std::shared_ptr<running::seen> seen_ = std::make_shared<running::seen>();
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> works_ =
        asio::make_work_guard(context_);
    std::optional<net::server> server_;
    std::thread thread_;
};

/// Options of both clients' kinds, with rings that nothing else has.
[[nodiscard]] inline net::shm_options rings(std::size_t ring_bytes, std::chrono::microseconds spin,
                                            std::size_t bytes = std::size_t{1} << 26) {
    net::shm_options made;
    made.ring_bytes = ring_bytes;
    made.spin = spin;
    made.bytes = bytes;
    return made;
}

/// A client on Asio, on the thread of its user.
class asking {
   public:
    explicit asking(const std::string& address, const net::shm_options& by = {},
                    std::chrono::microseconds patience = 20s) {
        net::client_options how;
        how.shm = by;
        how.logger = log_.logger();
        how.connect_timeout = patience;
        client_.emplace(context_, address, how);
    }

    [[nodiscard]] net::client& client() { return *client_; }
    [[nodiscard]] asio::io_context& context() { return context_; }
    [[nodiscard]] journal& log() { return log_; }
    /// Calls once; there is no failure if the value has come back.
    std::optional<net::failure> call(const std::string& value) {
        std::optional<net::answer> ended;
        std::string came;
        client_->call("demo.Echo", 1, value, {}, [&](const net::answer& answer) {
            ended = answer;
            came = running::text_of(answer.value);
        });
        EXPECT_TRUE(running::until(
            context_, [&] { return ended.has_value(); }, 60s));
        const auto why = ended.value_or(net::answer{}).failed;
        EXPECT_TRUE(why || came == value);
        return why;
    }

   private:
    journal log_;
    asio::io_context context_{1};
    std::optional<net::client> client_;
};

/// A call by a blocking client; there is no failure if the value has come back.
inline std::optional<net::failure> call(net::blocking_client& by, const std::string& value) {
    const auto came = by.call("demo.Echo", 1, std::string_view{value});
    EXPECT_TRUE(!came || running::text_of(came->value) == value);
    return came ? std::nullopt : std::optional{came.error()};
}

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_SHARING_HPP
