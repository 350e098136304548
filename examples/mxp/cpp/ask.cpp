#include <asio/io_context.hpp>
#include <charconv>
#include <chrono>
#include <iostream>

#include "demo.hpp"
#include "mxp/net/client.hpp"

namespace demo {

namespace {

namespace net = mxp::net;

constexpr std::chrono::milliseconds usual_deadline{5'000};

/// A client, and the program's exit code.
struct asking {
    explicit asking(const std::string& at) : client(context, at, options()) {}

    /// Ends the program.
    void end() { client.close(); }
    void end(const net::failure& why) {
        std::cout << "failed: " << why.name << ": " << why.text << "\n";
        result = 1;
        end();
    }

    [[nodiscard]] static net::client_options options() {
        net::client_options made;
        made.tls = client_tls();
        return made;
    }

    asio::io_context context{1};
    net::client client;
    int result = 0;
};

net::call_options within(std::chrono::milliseconds deadline) {
    net::call_options made;
    made.deadline = deadline;
    return made;
}

bool call(asking& by, const std::vector<std::string>& words) {
    const auto number = [](const std::string& text) {
        unsigned value = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        return read.ec == std::errc{} && read.ptr == end ? std::optional{value} : std::nullopt;
    };
    const auto method = number(words[0]);
    const auto deadline = words.size() > 2 ? number(words[2]) : std::nullopt;
    if (!method || *method > 65535 || words.size() < 2 || (words.size() > 2 && !deadline)) {
        return false;
    }
    const auto most = deadline ? std::chrono::milliseconds{*deadline} : usual_deadline;
    by.client.call(service, static_cast<std::uint16_t>(*method), words[1], within(most),
                   [&by](const net::answer& came) {
                       if (came.failed) {
                           return by.end(*came.failed);
                       }
                       std::cout << text_of(came.value) << "\n";
                       by.end();
                   });
    return true;
}

/// Sends words, and prints what comes back for each.
void stream(asking& by, const std::vector<std::string>& words) {
    const net::stream made =
        by.client.open(service, upper, std::string_view{}, within(usual_deadline));
    made.on_chunk([](mxp::bytes_view chunk) { std::cout << text_of(chunk) << "\n"; });
    made.on_end([&by](const net::failure* why) {
        if (why != nullptr) {
            return by.end(*why);
        }
        by.end();
    });
    for (const std::string& word : words) {
        made.send(word);
    }
    made.finish();
}

/// Sends an event, and asks how many there were when it was taken.
void event(asking& by, const std::string& text) {
    net::event_options how;
    how.requires_ack = true;
    by.client.event(service, tick, text, how, [&by](const net::answer& taken) {
        if (taken.failed) {
            return by.end(*taken.failed);
        }
        by.client.call(service, count, std::string_view{}, within(usual_deadline),
                       [&by](const net::answer& came) {
                           if (came.failed) {
                               return by.end(*came.failed);
                           }
                           std::uint64_t n = 0;
                           for (std::size_t i = came.value.size(); i > 0; --i) {
                               n = n << 8 | std::to_integer<std::uint64_t>(came.value[i - 1]);
                           }
                           std::cout << n << "\n";
                           by.end();
                       });
    });
}

}  // namespace

int ask(std::string_view command, const std::vector<std::string>& words) {
    asking by{words[0]};
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (command == "stream") {
        stream(by, rest);
    } else if (command == "event") {
        event(by, rest[0]);
    } else if (command != "call" || !call(by, rest)) {
        std::cerr << "mxp_demo doesn't know what to ask\n";
        return 1;
    }
    by.context.run();
    return by.result;
}

}  // namespace demo
