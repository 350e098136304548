/// Calls: so many connections, with so many in flight on each. And flows of messages over one.
#ifndef RPCBENCH_CALLS_HPP
#define RPCBENCH_CALLS_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "flaw.hpp"
#include "latency.hpp"
#include "plan.hpp"

namespace rpcbench {

/// A worker that calls, and is told the reply before it calls again. A `Caller` has a function
/// `call` of a payload and of a callback for the reply's bytes, never called from within it.
template <class Caller, class Loop>
class worker {
   public:
    worker(Caller& by, const part& what, std::size_t& left, histogram& times, Loop& loop)
        : caller_(by),
          payload_(what.what),
          until_(what.goes_on.begun()),
          left_(left),
          times_(times),
          loop_(loop) {}

    void next() {
        if (!until_.more()) {
            if (--left_ == 0) {
                loop_.stop();
            }
            return;
        }
        is_timed_ = until_.is_timed();
        if (is_timed_) {
            start_ = steady::now();
        }
        caller_.call(payload_, [this](const void* reply, std::size_t size) {
            payload_.look(reply, size);
            if (is_timed_) {
                const std::chrono::nanoseconds took = steady::now() - start_;
                times_.note(static_cast<std::uint64_t>(took.count()));
            }
            ++calls_;
            next();
        });
    }

    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

   private:
    Caller& caller_;
    const payload& payload_;
    until until_;
    std::size_t& left_;
    histogram& times_;
    Loop& loop_;
    bool is_timed_ = false;
    steady::time_point start_{};
    std::uint64_t calls_ = 0;
};

/// Runs a plan with callers, each with one call in flight. A `Loop` has `run`, which returns after
/// `stop` was called.
template <class Caller, class Loop>
[[nodiscard]] record run_calls(const plan& of, std::vector<Caller>& callers, Loop& loop) {
    using work = worker<Caller, Loop>;
    record last;
    for (const part& one : of.parts()) {
        histogram times;
        const beginning begun{of};
        std::size_t left = callers.size();
        std::vector<std::unique_ptr<work>> works;
        for (Caller& by : callers) {
            works.push_back(std::make_unique<work>(by, one, left, times, loop));
        }
        for (const auto& each : works) {
            each->next();
        }
        loop.run();
        std::uint64_t calls = 0;
        for (const auto& each : works) {
            calls += each->calls();
        }
        last = begun.ended(calls, times);
    }
    return last;
}

/// Runs a plan on this thread, with one caller that blocks it.
template <class Call>
[[nodiscard]] record run_blocking(const plan& of, Call call) {
    if (of.connections != 1 || of.in_flight != 1) {
        throw flaw{"this peer blocks: it has one call in flight on one connection"};
    }
    record last;
    for (const part& one : of.parts()) {
        histogram times;
        const beginning begun{of};
        std::uint64_t calls = 0;
        for (until goes_on = one.goes_on.begun(); goes_on.more(); ++calls) {
            const auto start = steady::now();
            call(one.what);
            const std::chrono::nanoseconds took = steady::now() - start;
            times.note(static_cast<std::uint64_t>(took.count()));
        }
        last = begun.ended(calls, times);
    }
    return last;
}

/// Runs a plan with one connection by a function that sends for a while, returns when all of it
/// has come, and counts the messages of both directions.
template <class Flow>
[[nodiscard]] record run_flow(const plan& of, Flow flow) {
    if (of.connections != 1 || of.in_flight != 1) {
        throw flaw{"messages go over one connection"};
    }
    record last;
    for (const part& one : of.parts()) {
        const beginning begun{of};
        last = begun.ended(flow(one.what, one.goes_on.begun()), {});
    }
    return last;
}

}  // namespace rpcbench

#endif  // RPCBENCH_CALLS_HPP
