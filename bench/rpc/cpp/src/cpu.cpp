#include "cpu.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "flaw.hpp"

namespace rpcbench {

std::uint64_t cpu_nanoseconds(int process) {
    const std::string folder = "/proc/" + std::to_string(process) + "/task";
    std::error_code failed;
    std::uint64_t sum = 0;
    for (const auto& thread : std::filesystem::directory_iterator(folder, failed)) {
        std::ifstream file{thread.path() / "schedstat"};
        std::uint64_t ran = 0;
        if (file >> ran) {
            sum += ran;
        }
    }
    if (failed) {
        throw flaw{folder + ": " + failed.message()};
    }
    return sum;
}

}  // namespace rpcbench
