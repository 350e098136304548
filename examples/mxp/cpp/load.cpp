#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <iostream>
#include <map>

#include "demo.hpp"
#include "mxp/net/client.hpp"

namespace demo {

namespace {

namespace net = mxp::net;
using clock = std::chrono::steady_clock;

/// Calls, by how they ended.
struct tally {
    std::uint64_t made = 0;
    std::uint64_t answered = 0;
    /// Nobody has acted on them.
    std::uint64_t refused = 0;
    std::uint64_t lost = 0;
    std::map<std::string, std::uint64_t, std::less<>> names;
    std::vector<std::int64_t> took_us;

    void ended(const std::optional<net::failure>& failed, clock::duration took) {
        if (!failed) {
            ++answered;
            took_us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
            return;
        }
        ++(failed->acted ? lost : refused);
        ++names[std::string{failed->name}];
    }

    /// The time of all but the slowest, in microseconds. The times are sorted.
    [[nodiscard]] std::int64_t at(std::size_t permille) const {
        return took_us.empty()
                   ? 0
                   : took_us[std::min(took_us.size() * permille / 1000, took_us.size() - 1)];
    }
};

std::ostream& operator<<(std::ostream& out, const tally& of) {
    out << "calls=" << of.made << " answered=" << of.answered << " refused=" << of.refused
        << " lost=" << of.lost << " p50_us=" << of.at(500) << " p99_us=" << of.at(990)
        << " max_us=" << of.at(1000) << " failures=";
    const char* before = "";
    for (const auto& [name, n] : of.names) {
        out << before << name << ":" << n;
        before = ",";
    }
    return out << (of.names.empty() ? "-" : "");
}

/// Callers that call one after the other, each of them.
struct callers {
    callers(const std::string& at, std::size_t bytes, std::size_t of_chunk)
        : client(context, at), value(bytes), chunk(of_chunk) {
        if (of_chunk > 0) {
            stream();
        }
    }

    /// Sends chunk after chunk, and counts the bytes that come back.
    void stream() {
        const net::stream echoes = client.open(service, upper, std::string_view{}, {});
        echoes.on_chunk([this](mxp::bytes_view come) { streamed += come.size(); });
        const auto send = [this, echoes] {
            if (!has_stopped) {
                echoes.send(chunk);
                echoes.send(chunk);
            }
        };
        echoes.on_sent(send);
        send();
    }

    void call() {
        if (has_stopped) {
            if (--running == 0) {
                client.close();
            }
            return;
        }
        net::call_options how;
        how.deadline = std::chrono::seconds{10};
        ++ended.made;
        client.call(service, echo, mxp::bytes_view{value}, how,
                    [this, began = clock::now()](const net::answer& came) {
                        ended.ended(came.failed, clock::now() - began);
                        if (chunk.empty()) {
                            return call();
                        }
                        const auto pause = std::make_shared<asio::steady_timer>(
                            context, std::chrono::milliseconds{1});
                        pause->async_wait([this, pause](const std::error_code&) { call(); });
                    });
    }

    asio::io_context context{1};
    net::client client;
    std::vector<std::byte> value;
    std::vector<std::byte> chunk;
    std::size_t streamed = 0;
    tally ended;
    std::size_t running = 0;
    bool has_stopped = false;
};

}  // namespace

int load(const std::string& address, const std::vector<std::string>& words) {
    const auto number = [&](std::size_t i, std::size_t otherwise) {
        return i < words.size() ? std::stoul(words[i]) : otherwise;
    };
    const std::size_t callers_count = number(0, 1);
    callers all{address, number(1, 64), number(2, 0)};
    all.running = callers_count;
    for (std::size_t i = 0; i < callers_count; ++i) {
        all.call();
    }
    asio::signal_set signals{all.context, SIGINT, SIGTERM};
    signals.async_wait([&](const std::error_code& failed, int) {
        if (!failed) {
            all.has_stopped = true;
        }
    });
    all.context.run();
    std::sort(all.ended.took_us.begin(), all.ended.took_us.end());
    std::cout << all.ended << "\n";
    if (!all.chunk.empty()) {
        std::cout << "streamed=" << all.streamed << "\n";
    }
    return 0;
}

}  // namespace demo
