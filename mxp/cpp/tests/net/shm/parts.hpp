/// Processes beside that of the tests: this program, of which one test does as it is told.
#ifndef MXP_TESTS_NET_SHM_PARTS_HPP
#define MXP_TESTS_NET_SHM_PARTS_HPP

#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "peer.hpp"

namespace sharing {

/// The parts that a process can have, by their names: functions of an address.
[[nodiscard]] inline std::map<std::string, std::function<void(const std::string&)>>& parts() {
    static std::map<std::string, std::function<void(const std::string&)>> all;
    return all;
}

/// The variables by which a process knows its part.
constexpr const char* part_name = "MXP_SHM_PART";
constexpr const char* part_address = "MXP_SHM_ADDRESS";

/// A process that does its part, and is killed with this.
class part {
   public:
    part(const std::string& name, const std::string& address) {
        std::string program = "/proc/self/exe";
        std::string filter = "--gtest_filter=part.of_a_process_is_done";
        std::string brief = "--gtest_brief=1";
        std::array<char*, 4> words{program.data(), filter.data(), brief.data(), nullptr};
        std::string which = std::string{part_name} + "=" + name;
        std::string where = std::string{part_address} + "=" + address;
        const char* const path = std::getenv("PATH");
        std::string found = std::string{"PATH="} + (path == nullptr ? "" : path);
        std::array<char*, 4> variables{which.data(), where.data(), found.data(), nullptr};
        EXPECT_EQ(::posix_spawn(&process_, program.c_str(), nullptr, nullptr, words.data(),
                                variables.data()),
                  0);
    }
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part() { kill(); }

    /// Its exit code, or the negative number of the signal that has ended it.
    [[nodiscard]] int wait() {
        int status = 0;
        EXPECT_EQ(::waitpid(std::exchange(process_, -1), &status, 0) > 0, true);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    void kill() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            static_cast<void>(wait());
        }
    }

   private:
    pid_t process_ = -1;
};

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_PARTS_HPP
