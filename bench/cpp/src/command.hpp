#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace bench {

/// Names separated by commas; none is all.
class names {
   public:
    names() = default;
    explicit names(std::string_view list) : list_(list) {}

    bool all() const noexcept { return list_.empty(); }
    bool has(std::string_view name) const noexcept;

   private:
    std::string list_;
};

/// The command line.
struct options {
    std::filesystem::path root = "../..";
    bool once = false;
    bool latency = false;
    names datasets;
    names codecs;
    names tasks;
    int rounds = 21;
    std::chrono::milliseconds sample{20};
};

/// Understands the arguments, without the program's name; what it doesn't understand is thrown.
options parse(std::span<const char* const> arguments);

/// Does what the options say.
void run(const options& with);

}  // namespace bench
