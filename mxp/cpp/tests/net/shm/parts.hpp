/// Processes beside that of the tests: this program, of which one test does as it is told.
#ifndef MXP_TESTS_NET_SHM_PARTS_HPP
#define MXP_TESTS_NET_SHM_PARTS_HPP

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

/// The words that start this program. An emulator that runs it has to run its processes too: a
/// kernel starts no programs of other machines by itself.
[[nodiscard]] inline std::vector<std::string> this_program() {
    const char* const emulator = std::getenv("MXP_EMULATOR");
    std::istringstream text{emulator == nullptr ? "" : emulator};
    std::vector<std::string> words{std::istream_iterator<std::string>{text}, {}};
    std::array<char, 4096> path{};
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    EXPECT_GT(length, 0);
    words.emplace_back(path.data());
    return words;
}

/// A process that does its part, and is killed with this.
class part {
   public:
    part(const std::string& name, const std::string& address) {
        std::vector<std::string> command = this_program();
        command.insert(command.end(),
                       {"--gtest_filter=part.of_a_process_is_done", "--gtest_brief=1"});
        std::vector<char*> words;
        for (std::string& word : command) {
            words.push_back(word.data());
        }
        words.push_back(nullptr);
        std::string which = std::string{part_name} + "=" + name;
        std::string where = std::string{part_address} + "=" + address;
        const char* const path = std::getenv("PATH");
        std::string found = std::string{"PATH="} + (path == nullptr ? "" : path);
        std::array<char*, 4> variables{which.data(), where.data(), found.data(), nullptr};
        EXPECT_EQ(
            ::posix_spawnp(&process_, words[0], nullptr, nullptr, words.data(), variables.data()),
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
