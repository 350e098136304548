/// Asks for one thing after the other, and prints what it is told.
#ifndef SERVICES_CALLER_HPP
#define SERVICES_CALLER_HPP

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace services {

/// Ends the program.
struct ended {
    std::string why;
};

/// A client of each kind, and the program's knowledge of them.
class caller {
   public:
    explicit caller(const mxp::net::address& at)
        : client(context, at, with(mxp::net::client_options{})),
          ledger(client),
          waits(at.scheme != "ws"),
          waiting(at, with(mxp::net::blocking_options{})),
          blocking(waiting) {}

    /// Runs until something is told.
    template <class T>
    mxp::net::outcome<T> wait(const std::function<void(mxp::net::callback<T>)>& ask) {
        std::optional<mxp::net::outcome<T>> came;
        ask([&](mxp::net::outcome<T> told) { came.emplace(std::move(told)); });
        run([&] { return came.has_value(); });
        return std::move(*came);
    }

    /// Runs until something holds.
    void run(const std::function<bool()>& holds) {
        while (!holds()) {
            context.restart();
            context.run_one();
        }
    }

    void pause(std::chrono::milliseconds most) {
        bool is_over = false;
        asio::steady_timer timer{context, most};
        timer.async_wait([&](const std::error_code&) { is_over = true; });
        run([&] { return is_over; });
    }

    /// Prints a line, and counts it if it is none of the possible ones.
    void say(const std::string& line, const std::vector<std::string>& can) {
        std::cout << line << "\n";
        if (std::find(can.begin(), can.end(), line) == can.end()) {
            ++wrong;
        }
    }
    void say(const std::string& line, const std::string& should) {
        say(line, std::vector<std::string>{should});
    }

    using totals = std::uint64_t (ledger::LedgerClient::*)(const ledger::Nothing&,
                                                           mxp::net::callback<ledger::Total>,
                                                           mxp::net::call_options) const;

    /// Asks once for a count.
    ledger::Total count(totals what) {
        const auto came = wait<ledger::Total>(
            [&](auto then) { (ledger.*what)(ledger::Nothing{}, std::move(then), {}); });
        if (!came) {
            throw ended{came.error().name};
        }
        return *came;
    }

    /// Asks until so many are counted, but not for ever.
    ledger::Total count_until(totals what, std::uint64_t want) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
        for (;;) {
            const auto total = count(what);
            if (total.entries >= want || std::chrono::steady_clock::now() > end) {
                return total;
            }
            pause(std::chrono::milliseconds{10});
        }
    }

    asio::io_context context{1};
    /// The key that the interceptor sends, and the key that it has seen last.
    std::string key{sesame};
    std::string seen;
    /// How many lines were not as they should be.
    int wrong = 0;
    mxp::net::client client;
    ledger::LedgerClient ledger;
    /// Whether there are clients that wait, which not every transport has.
    const bool waits;
    /// On a connection of its own.
    mxp::net::blocking_client waiting;
    ledger::LedgerBlockingClient blocking;

   private:
    template <class Options>
    Options with(Options how) {
        how.types = ledger::LedgerService::types();
        how.interceptors = {[this](mxp::net::outgoing_request& asked) {
            asked.metadata.emplace_back(key_name, bytes_of(key));
            asked.on_end([this](const mxp::net::answer& came) {
                for (const auto& one : came.metadata) {
                    if (one.key() == seen_name) {
                        seen = text_of(one.value());
                    }
                }
            });
        }};
        return how;
    }
};

/// The number of a status.
inline std::string number_of(const mxp::net::failure& why) {
    return std::to_string(static_cast<unsigned>(why.status));
}

// streams.cpp
void list(caller& by);
void sum(caller& by);
void negate(caller& by);
void book(caller& by);

}  // namespace services

#endif  // SERVICES_CALLER_HPP
