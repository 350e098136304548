#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "opaque.hpp"

namespace bench {

/// How an operation's result differs from the data, if it does.
using flaw = std::optional<std::string>;

/// One task of one codec, ready to run.
class operation {
   public:
    operation() = default;
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    virtual ~operation() = default;

    /// Does the work `times` times.
    virtual void run(std::uint64_t times) = 0;

    /// Does the work once more and compares what came of it.
    virtual flaw verify() = 0;
};

/// An operation whose result is new each time and destroyed at once.
template <class Work, class Check>
class fresh final : public operation {
   public:
    fresh(Work work, Check check) : work_(std::move(work)), check_(std::move(check)) {}

    void run(std::uint64_t times) override {
        for (std::uint64_t i = 0; i < times; ++i) {
            const auto result = work_();
            opaque(result);
        }
    }

    flaw verify() override { return check_(work_()); }

   private:
    Work work_;
    Check check_;
};

/// An operation that leaves its result in the memory of the previous run.
template <class State, class Work, class Check>
class reused final : public operation {
   public:
    reused(State state, Work work, Check check)
        : state_(std::move(state)), work_(std::move(work)), check_(std::move(check)) {}

    void run(std::uint64_t times) override {
        for (std::uint64_t i = 0; i < times; ++i) {
            work_(state_);
            opaque(state_);
        }
    }

    flaw verify() override {
        work_(state_);
        return check_(state_);
    }

   private:
    State state_;
    Work work_;
    Check check_;
};

}  // namespace bench
