// One client or one server of one peer: see ../../README.md.
//
// rpcbench serve PEER ADDRESS prints where it listens, and ends when its input does.
// rpcbench call PEER ADDRESS [--kind call|event|up|both] [--size N] [--in-flight N]
// [--connections N] [--seconds S | --once] [--server PID] prints a line of JSON.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "peers.hpp"

namespace rpcbench {

namespace {

/// Ends this process when its parent is gone.
void end_with_input() {
    std::thread{[] {
        while (std::cin.get() != std::char_traits<char>::eof()) {
        }
        std::_Exit(0);
    }}.detach();
}

[[nodiscard]] plan plan_of(const std::vector<std::string>& words) {
    plan made;
    made.time = std::chrono::seconds{1};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--once") {
            made.time = std::nullopt;
            continue;
        }
        if (++i == words.size()) {
            throw flaw{word + ": not known, or without a value"};
        }
        if (word == "--kind") {
            made.what = kind_of(words[i]);
        } else if (word == "--size") {
            made.size = std::stoul(words[i]);
        } else if (word == "--in-flight") {
            made.in_flight = std::stoul(words[i]);
        } else if (word == "--connections") {
            made.connections = std::stoul(words[i]);
        } else if (word == "--seconds") {
            made.time = std::chrono::duration_cast<steady::duration>(
                std::chrono::duration<double>{std::stod(words[i])});
        } else if (word == "--server") {
            made.server = std::stoi(words[i]);
        } else {
            throw flaw{word + ": not known"};
        }
    }
    return made;
}

void run(const std::vector<std::string>& words) {
    if (words.size() < 3) {
        throw flaw{"name a verb, a peer and an address"};
    }
    const peer& chosen = peer_of(words[1]);
    const address at{words[2]};
    const std::vector<std::string> rest{words.begin() + 3, words.end()};
    if (words[0] == "serve" && rest.empty()) {
        end_with_input();
        chosen.serve(at);
    } else if (words[0] == "call") {
        std::cout << chosen.call(at, plan_of(rest)).json() << std::endl;
    } else {
        throw flaw{words[0] + ": neither serve nor call, or more than that takes"};
    }
}

}  // namespace

}  // namespace rpcbench

int main(int count, char** words) {
    try {
        rpcbench::run({words + 1, words + count});
        return EXIT_SUCCESS;
    } catch (const std::exception& flaw) {
        std::cerr << "rpcbench: " << flaw.what() << '\n';
        return EXIT_FAILURE;
    }
}
