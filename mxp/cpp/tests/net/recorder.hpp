/// An observer that writes down what it is told of requests.
#ifndef MXP_TESTS_NET_RECORDER_HPP
#define MXP_TESTS_NET_RECORDER_HPP

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mxp/net.hpp"
#include "mxp/net/telemetry.hpp"

namespace recording {

namespace net = mxp::net;

using attributes = std::map<std::string, std::string>;

inline void add(attributes& to, const std::vector<net::attribute>& all) {
    for (const auto& one : all) {
        const auto* const text = std::get_if<std::string_view>(&one.value);
        const std::string value = text != nullptr
                                      ? std::string{*text}
                                      : std::to_string(std::get<std::int64_t>(one.value));
        EXPECT_TRUE(to.emplace(one.key, value).second) << one.key;
    }
}

/// A request that has ended, as an observer was told of it.
struct told {
    mxp::session::side side{};
    std::string name{};
    std::optional<mxp::session::trace_context> parent{};
    std::string state{};
    mxp::session::trace_context trace{};
    attributes span{};
    attributes measured{};
    bool is_error = false;
    std::string description{};
    double seconds = 0;
};

/// Writes down what it is told.
class recorder final : public net::request_observer, public std::enable_shared_from_this<recorder> {
   public:
    std::unique_ptr<net::observed_request> on_begin(const net::request_start& of) override {
        told made{of.side, std::string{of.name}, of.trace, std::string{of.trace_state}};
        if (of.trace) {
            made.trace = *of.trace;
        } else {
            made.trace.id[0] = 1;
        }
        made.trace.parent = ++spans_;
        add(made.span, of.attributes);
        return std::make_unique<request>(shared_from_this(), std::move(made));
    }

    [[nodiscard]] std::vector<told> all() const {
        const std::lock_guard<std::mutex> lock{mutex_};
        return all_;
    }

   private:
    class request final : public net::observed_request {
       public:
        request(std::shared_ptr<recorder> by, told of) : by_(std::move(by)), of_(std::move(of)) {}
        std::optional<mxp::session::trace_context> trace() const override { return of_.trace; }
        std::string trace_state() const override { return of_.state.empty() ? "by=me" : of_.state; }
        void on_end(const net::request_end& how) override {
            add(of_.span, how.added);
            add(of_.measured, how.measured);
            of_.is_error = how.is_error;
            of_.description = how.description;
            of_.seconds = how.seconds();
            const std::lock_guard<std::mutex> lock{by_->mutex_};
            by_->all_.push_back(of_);
        }

       private:
        std::shared_ptr<recorder> by_;
        told of_;
    };

    std::atomic<std::uint64_t> spans_{100};
    mutable std::mutex mutex_{};
    std::vector<told> all_{};
};

}  // namespace recording

#endif  // MXP_TESTS_NET_RECORDER_HPP
