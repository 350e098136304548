/// Serves a mixing desk, and calls it.
///
///     services                   both, in one process
///     services serve ADDRESS
///     services call  ADDRESS

#include <unistd.h>

#include <iostream>
#include <thread>
#include <vector>

#include "desk.hpp"

namespace {

/// Lets the client call the server.
int both() {
    const std::string address = "mxp+unix:///tmp/mixer-" + std::to_string(::getpid()) + ".sock";
    std::thread asking;
    int asked = 0;
    const int served = desk::serve(address, [&](const std::function<void()>& end) {
        asking = std::thread{[&asked, &address, end] {
            asked = desk::call(address);
            end();
        }};
    });
    if (asking.joinable()) {
        asking.join();
    }
    return served != 0 ? served : asked;
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> all(words + 1, words + count);
    if (all.empty()) {
        return both();
    }
    if (all.size() == 2 && all[0] == "serve") {
        return desk::serve(all[1]);
    }
    if (all.size() == 2 && all[0] == "call") {
        return desk::call(all[1]);
    }
    std::cerr << "usage: services [serve ADDRESS | call ADDRESS]\n";
    return 1;
}
