#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "child.hpp"

extern char** environ;  // NOLINT: the system's name

namespace plug {

std::optional<child> child::start(const std::filesystem::path& program,
                                  const std::string& argument) {
    std::string name = program.string();
    std::string copy = argument;
    char* const words[] = {name.data(), copy.data(), nullptr};
    pid_t process = 0;
    if (::posix_spawn(&process, name.c_str(), nullptr, nullptr, words, environ) != 0) {
        return std::nullopt;
    }
    return child{process};
}

void child::wait() noexcept {
    for (int looks = 0; process_ != 0 && looks < 200; ++looks) {
        if (::waitpid(static_cast<pid_t>(process_), nullptr, WNOHANG) != 0) {
            process_ = 0;
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

void child::kill() noexcept {
    if (process_ != 0) {
        const auto process = static_cast<pid_t>(std::exchange(process_, 0));
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
    }
}

std::uint32_t own_process() { return static_cast<std::uint32_t>(::getpid()); }

}  // namespace plug
