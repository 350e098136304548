/// Processes beside that of the tests: this program, of which one test does as it is told.
#ifndef MXP_TESTS_NET_SHM_PARTS_HPP
#define MXP_TESTS_NET_SHM_PARTS_HPP

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "offers.hpp"
#if !defined(_WIN32)
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <sstream>
#endif

namespace sharing {

/// The parts that a process can have, by their names: functions of an address.
[[nodiscard]] inline std::map<std::string, std::function<void(const std::string&)>>& parts() {
    static std::map<std::string, std::function<void(const std::string&)>> all;
    return all;
}

/// The variables by which a process knows its part.
constexpr const char* part_name = "MXP_SHM_PART";
constexpr const char* part_address = "MXP_SHM_ADDRESS";

#if defined(_WIN32)

/// A process that does its part, and is killed with this.
class part {
   public:
    part(const std::string& name, const std::string& address) {
        std::array<char, MAX_PATH> path{};
        EXPECT_GT(::GetModuleFileNameA(nullptr, path.data(), MAX_PATH), 0U);
        std::string command = std::string{"\""} + path.data() +
                              "\" --gtest_filter=part.of_a_process_is_done --gtest_brief=1";
        // This process has read what it was told about its own part of the tests.
        running::set_environment("GTEST_TOTAL_SHARDS", "");
        running::set_environment("GTEST_SHARD_INDEX", "");
        running::set_environment(part_name, name);
        running::set_environment(part_address, address);
        STARTUPINFOA how{};
        how.cb = sizeof how;
        PROCESS_INFORMATION made{};
        EXPECT_NE(::CreateProcessA(nullptr, command.data(), nullptr, nullptr, FALSE, 0, nullptr,
                                   nullptr, &how, &made),
                  0);
        running::set_environment(part_name, "");
        running::set_environment(part_address, "");
        process_ = net::detail::system_handle{made.hProcess};
        const net::detail::system_handle closed{made.hThread};
    }
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part() { kill(); }

    /// Its exit code.
    [[nodiscard]] int wait() {
        const net::detail::system_handle ended = std::move(process_);
        DWORD code = 0;
        EXPECT_EQ(::WaitForSingleObject(ended.get(), INFINITE), WAIT_OBJECT_0);
        EXPECT_NE(::GetExitCodeProcess(ended.get(), &code), 0);
        return static_cast<int>(code);
    }
    void kill() {
        if (process_) {
            ::TerminateProcess(process_.get(), 1);
            static_cast<void>(wait());
        }
    }

   private:
    net::detail::system_handle process_{};
};

#else

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

#endif

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_PARTS_HPP
