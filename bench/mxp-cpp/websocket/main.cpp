// Calls over WebSocket, and over TCP, beside messages of the library's that are sent back. Each is
// between two threads of this process; the three take turns in every round, and the quotients are
// of one round each.
//
//	websocketbench [ROUNDS [CALLS [SIZE]]]
#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "beast.hpp"
#include "mxp/net.hpp"
#include "mxp/net/websocket.hpp"

namespace websocketbench {

namespace {

namespace net = mxp::net;

/// A server of MXP on a thread of its own, and a client of it.
class mxp_calls {
   public:
    mxp_calls(const std::string& at, std::size_t size) : value_(size) {
        net::services all;
        all.service("bench.Echo").call(1, [](const net::request& asked, const net::responder& to) {
            to.respond(asked.value);
        });
        server_.emplace(theirs_, std::move(all));
        client_.emplace(mine_, server_->listen(at).value());
        thread_ = std::thread{[this] {
            const auto works = asio::make_work_guard(theirs_);
            theirs_.run();
        }};
    }
    mxp_calls(const mxp_calls&) = delete;
    mxp_calls& operator=(const mxp_calls&) = delete;
    ~mxp_calls() {
        theirs_.stop();
        thread_.join();
    }

    void call() {
        std::size_t size = 0;
        bool has_ended = false;
        client_->call("bench.Echo", 1, value_, {}, [&](const net::answer& came) {
            size = came.value.size();
            has_ended = true;
        });
        while (!has_ended) {
            mine_.restart();
            mine_.run_one();
        }
        if (size != value_.size()) {
            std::fputs("a call has failed\n", stderr);
            std::exit(1);
        }
    }

   private:
    std::vector<std::byte> value_;
    asio::io_context theirs_{1};
    asio::io_context mine_{1};
    std::optional<net::server> server_;
    std::optional<net::client> client_;
    std::thread thread_;
};

/// The median of what so many calls took, in microseconds.
double median(std::vector<double> of) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
}
double p50(const std::function<void()>& call, std::size_t calls) {
    std::vector<double> took;
    for (std::size_t i = 0; i < calls; ++i) {
        const auto begun = std::chrono::steady_clock::now();
        call();
        took.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun)
                .count());
    }
    return median(std::move(took));
}

void run(std::size_t rounds, std::size_t calls, std::size_t size) {
    net::register_websocket();
    mxp_calls ws{"mxp+ws://127.0.0.1:0/", size};
    mxp_calls tcp{"mxp+tcp://127.0.0.1:0", size};
    bare echo{size};
    const std::vector<std::function<void()>> all{[&] { echo.call(); }, [&] { ws.call(); },
                                                 [&] { tcp.call(); }};
    for (const auto& one : all) {
        p50(one, calls);  // warm
    }
    std::vector<std::vector<double>> took(all.size());
    std::vector<double> quotients;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t turn = (i + round) % all.size();
            took[turn].push_back(p50(all[turn], calls));
        }
        quotients.push_back(took[1].back() / took[0].back());
    }
    std::printf("%zu B, %zu rounds of %zu calls, medians of p50:\n", size, rounds, calls);
    std::printf("message of Beast %.1f us, call over mxp+ws %.1f us, over mxp+tcp %.1f us\n",
                median(took[0]), median(took[1]), median(took[2]));
    std::sort(quotients.begin(), quotients.end());
    std::printf("call over mxp+ws / message of Beast: %.2f (%.2f to %.2f)\n", median(quotients),
                quotients.front(), quotients.back());
}

}  // namespace

}  // namespace websocketbench

int main(int count, char** words) {
    const auto number = [&](int at, std::size_t usual) {
        return count > at ? static_cast<std::size_t>(std::atol(words[at])) : usual;
    };
    websocketbench::run(number(1, 21), number(2, 2'000), number(3, 64));
}
