/// Use in the event loop of another library.
#ifndef MXP_NET_FOREIGN_LOOP_HPP
#define MXP_NET_FOREIGN_LOOP_HPP

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "request.hpp"
#include "system/wake_signal.hpp"

namespace mxp::net {

/// Runs an `io_context` on a thread of its own, for a program whose event loop is another's, and
/// has functions called in that loop, which waits for a descriptor to be readable. Clients, servers
/// and streams of the context are used on the loop's thread as on any; they have to be gone before
/// this is. Where the descriptor can't be made it throws `std::system_error`.
class foreign_loop {
   public:
    /// A descriptor that the loop waits for, and on Windows the handle of an event.
    using handle = detail::wake_signal::handle;

    foreign_loop() : thread_([this] { context_.run(); }) {}
    foreign_loop(const foreign_loop&) = delete;
    foreign_loop& operator=(const foreign_loop&) = delete;
    /// Functions that still wait are not called.
    ~foreign_loop() {
        works_.reset();
        context_.stop();
        thread_.join();
    }

    /// For clients and servers.
    [[nodiscard]] asio::io_context& context() noexcept { return context_; }
    /// Readable, or signalled, as long as functions wait.
    [[nodiscard]] handle descriptor() const noexcept { return signal_.get(); }

    /// Calls the functions that wait, on the loop's thread. Functions that they post are called
    /// next time. If a function throws, the functions behind it still wait.
    void dispatch() {
        std::size_t n = 0;
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            n = waiting_.size();
        }
        for (; n > 0; --n) {
            std::function<void()> next;
            {
                const std::lock_guard<std::mutex> lock{mutex_};
                next = std::move(waiting_.front());
                waiting_.pop_front();
                if (waiting_.empty()) {
                    signal_.reset();
                }
            }
            next();
        }
    }

    /// Has a function called in the loop, from any thread.
    template <class Function>
    void post(Function then) {
        const auto shared = std::make_shared<Function>(std::move(then));
        const std::lock_guard<std::mutex> lock{mutex_};
        if (waiting_.empty()) {
            signal_.set();
        }
        waiting_.emplace_back([shared] { (*shared)(); });
    }

    /// A function that has another called in the loop, with copies of its arguments: for typed
    /// calls and streams, whose values are no views. The loop has to outlive it.
    template <class Function>
    [[nodiscard]] auto here(Function then) {
        return [loop = this,
                shared = std::make_shared<Function>(std::move(then))](auto&&... values) {
            loop->post(
                [shared, kept = std::make_tuple(keep(std::forward<decltype(values)>(values))...)] {
                    std::apply([&](const auto&... item) { (*shared)(shown(item)...); }, kept);
                });
        };
    }

   private:
    /// A failure behind a pointer is copied, too: so ends of streams are told.
    struct end {
        std::optional<failure> why{};
    };
    template <class T>
    [[nodiscard]] static auto keep(T&& value) {
        using plain = std::decay_t<T>;
        static_assert(!std::is_same_v<plain, answer> && !std::is_same_v<plain, bytes_view>,
                      "a view does not hold until the loop calls: copy what it shows, and post");
        if constexpr (std::is_same_v<plain, const failure*>) {
            return end{value == nullptr ? std::nullopt : std::optional{*value}};
        } else {
            return plain{std::forward<T>(value)};
        }
    }
    template <class T>
    [[nodiscard]] static const T& shown(const T& value) noexcept {
        return value;
    }
    [[nodiscard]] static const failure* shown(const end& value) noexcept {
        return value.why ? &*value.why : nullptr;
    }

    detail::wake_signal signal_{};
    std::mutex mutex_;
    std::deque<std::function<void()>> waiting_;
    asio::io_context context_{};
    asio::executor_work_guard<asio::io_context::executor_type> works_{context_.get_executor()};
    std::thread thread_;
};

}  // namespace mxp::net

#endif  // MXP_NET_FOREIGN_LOOP_HPP
