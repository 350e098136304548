/// A client in a loop of poll(2) with a timer, as in programs whose event loop is another
/// library's.
#include <poll.h>

#include <chrono>
#include <iostream>

#include "demo.hpp"
#include "mxp/net/client.hpp"
#include "mxp/net/foreign_loop.hpp"

namespace demo {

namespace net = mxp::net;

int poll_loop(const std::string& at, const std::vector<std::string>& words) {
    using clock = std::chrono::steady_clock;
    net::foreign_loop loop;
    net::client client{loop.context(), at};
    std::size_t left = words.size();
    int result = 0;
    const auto tell = [&](const std::string& line, bool is_fine) {
        std::cout << line << "\n";
        result = is_fine ? result : 1;
        --left;
    };
    auto next = words.begin();
    auto due = clock::now();
    while (left > 0) {
        // The timer: a word every 10 ms.
        if (next != words.end() && clock::now() >= due) {
            net::call_options soon;
            soon.deadline = std::chrono::seconds{5};
            client.call(service, 1, *next++, soon, [&](const net::answer& came) {
                // Views hold in here alone, on the other thread: the loop gets a copy.
                std::string line = came.failed ? to_string(*came.failed) : text_of(came.value);
                loop.post([&tell, line = std::move(line), is_fine = !came.failed] {
                    tell(line, is_fine);
                });
            });
            due += std::chrono::milliseconds{10};
        }
        pollfd what{loop.descriptor(), POLLIN, 0};
        if (::poll(&what, 1, next != words.end() ? 10 : -1) > 0) {
            loop.dispatch();
        }
    }
    return result;
}

}  // namespace demo
