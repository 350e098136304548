#include <windows.h>

#include <utility>

#include "child.hpp"

namespace plug {

namespace {

HANDLE handle_of(std::intptr_t process) noexcept {
    return reinterpret_cast<HANDLE>(process);  // NOLINT: a handle is a number
}

}  // namespace

std::optional<child> child::start(const std::filesystem::path& program,
                                  const std::string& argument) {
    std::wstring line = L"\"" + program.wstring() + L"\" \"";
    line.append(argument.begin(), argument.end());
    line += L'"';
    STARTUPINFOW how{};
    how.cb = sizeof how;
    PROCESS_INFORMATION made{};
    if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr,
                         &how, &made) == 0) {
        return std::nullopt;
    }
    ::CloseHandle(made.hThread);
    return child{reinterpret_cast<std::intptr_t>(made.hProcess)};  // NOLINT: as above
}

void child::wait() noexcept {
    if (process_ != 0) {
        ::WaitForSingleObject(handle_of(process_), 2000);
    }
}

void child::kill() noexcept {
    if (process_ != 0) {
        const HANDLE process = handle_of(std::exchange(process_, 0));
        ::TerminateProcess(process, 1);
        ::WaitForSingleObject(process, INFINITE);
        ::CloseHandle(process);
    }
}

std::uint32_t own_process() { return ::GetCurrentProcessId(); }

}  // namespace plug
