// Lets any bytes decide what two sessions and their users do, and ends the program where one of
// them breaks a promise: a request ends once, places are given back, queues stay within limits.
//
// The bytes are commands, as tests/session/play.hpp explains.

#include <cstddef>
#include <cstdint>

#include "../../tests/session/play.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    play::run(data, size);
    return 0;
}
