/// A server that runs, and what tests ask of it.
#ifndef MXP_TESTS_NET_RUNNING_HPP
#define MXP_TESTS_NET_RUNNING_HPP

#include <gtest/gtest.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mxp/net.hpp"
#include "places.hpp"

namespace running {

namespace net = mxp::net;
using bytes = std::vector<std::byte>;

/// How many times longer than it should something may take: sanitizers make everything slower.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int patience = 5;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int patience = 5;
#else
inline constexpr int patience = 1;
#endif
#else
inline constexpr int patience = 1;
#endif

[[nodiscard]] inline std::string text_of(mxp::bytes_view from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

/// A failure that a server tells, at the server's own address. Over TCP it is at its client's.
[[nodiscard]] inline net::failure told_at(net::failure why, const std::string& address) {
    if (why.peer.rfind("mxp+tcp://127.0.0.1:", 0) == 0) {
        why.peer = address;
    }
    return why;
}

/// Runs until something holds; false if that takes too long.
inline bool until(asio::io_context& by, const std::function<bool()>& holds,
                  std::chrono::milliseconds most = std::chrono::seconds{20}) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        by.restart();
        by.run_one_for(std::chrono::milliseconds{1});
    }
    return true;
}

/// The state that handlers keep.
struct seen {
    std::vector<net::responder> held{};
    std::size_t cancelled = 0;
    std::size_t events = 0;
};

/// Methods: 1 gives the value back, 2 fails, 3 is a stream that gives chunks back, 4 counts events,
/// 5 answers never, 6 is a stream that takes chunks and answers nothing.
[[nodiscard]] inline net::services echo(const std::shared_ptr<seen>& by) {
    net::services all;
    all.service("demo.Echo")
        .call(1,
              [](const net::request& asked, const net::responder& to) { to.respond(asked.value); })
        .call(2,
              [](const net::request&, const net::responder& to) {
                  net::failure why;
                  why.status = mxp::session::status::FailedPrecondition;
                  why.name = "refused";
                  why.text = "not today";
                  to.fail(why);
              })
        .stream(3,
                [](const net::request&, const net::stream& end) {
                    end.on_chunk([end](mxp::bytes_view chunk) { end.send(chunk); });
                    end.on_finish([end] { end.finish(); });
                })
        .event(4, [by](const net::request&) { ++by->events; })
        .call(5,
              [by](const net::request&, const net::responder& to) {
                  to.on_cancel([by] { ++by->cancelled; });
                  by->held.push_back(to);
              })
        .stream(6, [](const net::request&, const net::stream& end) {
            end.on_chunk([](mxp::bytes_view) {});
            end.on_finish([end] { end.finish(); });
        });
    return all;
}

/// A server on a thread of its own.
class in_thread {
   public:
    explicit in_thread(net::server_options how = {}) {
        std::promise<std::string> listens;
        thread_ = std::thread([this, how, &listens] {
            server_.emplace(context_, echo(seen_), how);
            listens.set_value(server_->listen(folder_.at("s")).value());
            const auto works = asio::make_work_guard(context_);
            context_.run();
            seen_->held.clear();
            server_.reset();
        });
        address = listens.get_future().get();
    }
    in_thread(const in_thread&) = delete;
    in_thread& operator=(const in_thread&) = delete;
    ~in_thread() {
        context_.stop();
        thread_.join();
    }

    /// The result of a function on the server's thread.
    template <class Function>
    auto ask(Function function) {
        std::promise<decltype(function(*server_, *seen_))> said;
        asio::post(context_, [&] { said.set_value(function(*server_, *seen_)); });
        return said.get_future().get();
    }
    [[nodiscard]] std::size_t connections() {
        return ask([](net::server& of, seen&) { return of.connections(); });
    }
    [[nodiscard]] mxp::session::statistics stats() {
        return ask([](net::server& of, seen&) { return of.stats(); });
    }

    /// Whether another client is served.
    [[nodiscard]] bool serves() {
        net::blocking_client other{address};
        const auto came = other.call("demo.Echo", 1, std::string_view{"hello"});
        return came && text_of(came->value) == "hello";
    }

    std::string address;

   private:
    folder folder_;
    std::shared_ptr<seen> seen_ = std::make_shared<seen>();
    asio::io_context context_{1};
    std::optional<net::server> server_;
    std::thread thread_;
};

}  // namespace running

#endif  // MXP_TESTS_NET_RUNNING_HPP
