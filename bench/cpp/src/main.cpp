// The program that measures SDP's C++ code beside other libraries; bench/README.md says how to read
// what it gives.

#include <cstdlib>
#include <exception>
#include <iostream>

#include "command.hpp"

int main(int count, char** arguments) {
    try {
        bench::run(bench::parse({arguments + 1, arguments + count}));
        return EXIT_SUCCESS;
    } catch (const std::exception& flaw) {
        std::cerr << "sdpbench: " << flaw.what() << '\n';
        return EXIT_FAILURE;
    }
}
