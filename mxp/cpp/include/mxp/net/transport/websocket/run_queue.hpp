/// Where Boost's functions run: in the turns of a strand, as all that is done with a connection.
///
/// Boost.Beast is made for Boost.Asio, and MXP has Asio without Boost. They meet here and in
/// `lower_stream.hpp`: an executor and a stream are all that Beast wants. Nothing of Boost waits
/// for anything of the system, so that no context of Boost's runs.
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_RUN_QUEUE_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_RUN_QUEUE_HPP

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>

#include "../../strand.hpp"

namespace mxp::net::detail::ws {

/// A function that is called once, and need not be copied.
template <class... Arguments>
class once {
   public:
    once() = default;
    template <class Function, class = std::enable_if_t<!std::is_same_v<Function, once>>>
    explicit once(Function function)
        : is_(std::make_unique<function_holder<Function>>(std::move(function))) {}

    explicit operator bool() const noexcept { return is_ != nullptr; }
    void operator()(Arguments... arguments) { std::exchange(is_, nullptr)->call(arguments...); }

   private:
    struct function_base {
        virtual ~function_base() = default;
        virtual void call(Arguments... arguments) = 0;
    };
    template <class Function>
    struct function_holder final : function_base {
        explicit function_holder(Function function) : what(std::move(function)) {}
        void call(Arguments... arguments) override { what(arguments...); }
        Function what;
    };

    std::unique_ptr<function_base> is_{};
};

/// The functions that Boost has to run, one behind another, at the end of the turn that they come
/// of: never from within one that has asked for it.
class run_queue {
   public:
    explicit run_queue(asio::io_context& io) : turns_(std::make_shared<strand>(io)) {}

    [[nodiscard]] const std::shared_ptr<strand>& turns() const noexcept { return turns_; }

    /// Runs a function in a turn, and the functions that it leaves. The owner of the run_queue is
    /// kept until then.
    template <class Owner, class Function>
    void run(std::shared_ptr<Owner> owner, Function then) {
        turns_->run([this, owner = std::move(owner), then = std::move(then)]() mutable {
            go_on(std::move(then));
        });
    }
    /// The same, within a turn.
    template <class Function>
    void go_on(Function then) {
        then();
        drain();
    }
    /// Leaves a function to be run, within a turn.
    template <class Function>
    void add(Function then) {
        left_.emplace_back(std::move(then));
    }

   private:
    void drain() {
        if (is_draining_) {
            return;
        }
        struct drain_scope {
            explicit drain_scope(bool& flag) : is(flag) { is = true; }
            drain_scope(const drain_scope&) = delete;
            drain_scope& operator=(const drain_scope&) = delete;
            ~drain_scope() { is = false; }
            bool& is;
        } const now{is_draining_};
        while (!left_.empty()) {
            once<> next = std::move(left_.front());
            left_.pop_front();
            next();
        }
    }

    std::shared_ptr<strand> turns_;
    std::deque<once<>> left_{};
    bool is_draining_ = false;
};

/// A run queue, as Boost knows executors.
class executor {
   public:
    explicit executor(run_queue& queue) noexcept : queue_(&queue) {}

    /// Has Boost's services: the timers of streams, none of which is ever set. Nothing runs it.
    [[nodiscard]] boost::asio::execution_context&
    query(boost::asio::execution::context_t /*what*/) const noexcept {
        static auto* const all = new boost::asio::io_context{1};
        return *all;
    }
    [[nodiscard]] static constexpr boost::asio::execution::blocking_t
    query(boost::asio::execution::blocking_t /*what*/) noexcept {
        return boost::asio::execution::blocking.never;
    }
    template <class Function>
    void execute(Function&& then) const {
        queue_->add(std::forward<Function>(then));
    }

    friend bool operator==(const executor& first, const executor& second) noexcept {
        return first.queue_ == second.queue_;
    }
    friend bool operator!=(const executor& first, const executor& second) noexcept {
        return !(first == second);
    }

   private:
    run_queue* queue_;
};

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_RUN_QUEUE_HPP
