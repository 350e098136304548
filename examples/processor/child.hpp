/// A process that this program has started.
#ifndef CHILD_HPP
#define CHILD_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace plug {

/// A process, which is given two seconds to end by itself when this is
/// destroyed, and then killed.
class child {
   public:
    /// Starts a program with an argument, which has neither quotes nor
    /// backslashes, or nothing.
    [[nodiscard]] static std::optional<child> start(const std::filesystem::path& program,
                                                    const std::string& argument);

    child(child&& source) noexcept : process_(std::exchange(source.process_, 0)) {}
    child& operator=(child&& source) noexcept {
        std::swap(process_, source.process_);
        return *this;
    }
    ~child() {
        wait();
        kill();
    }

    /// Ends the process at once, and waits for that.
    void kill() noexcept;

   private:
    /// Waits until it has ended, for no longer than a time.
    void wait() noexcept;

    explicit child(std::intptr_t process) noexcept : process_(process) {}

    /// The system's number or handle of it, or 0.
    std::intptr_t process_;
};

/// The number of this process.
[[nodiscard]] std::uint32_t own_process();

}  // namespace plug

#endif  // CHILD_HPP
