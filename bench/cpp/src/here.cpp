#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "results.hpp"

namespace bench {
namespace {

/// The output of a command, without the last newline.
std::string said(const std::string& command) {
    struct closes {
        void operator()(std::FILE* pipe) const { pclose(pipe); }
    };
    std::unique_ptr<std::FILE, closes> pipe(popen(command.c_str(), "r"));
    std::string text;
    for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) {
        text += static_cast<char>(c);
    }
    if (!pipe || pclose(pipe.release()) != 0) {
        throw std::runtime_error(command + " failed");
    }
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

std::string cpu_name() {
    std::ifstream cpus("/proc/cpuinfo");
    for (std::string each; std::getline(cpus, each);) {
        const std::size_t colon = each.find(": ");
        if (each.starts_with("model name") && colon != std::string::npos) {
            return each.substr(colon + 2);
        }
    }
    return "unknown";
}

double load_average() {
    double minute = 0;
    std::ifstream("/proc/loadavg") >> minute;
    return minute;
}

}  // namespace

results here(const std::filesystem::path& root, std::string dataset) {
    std::ostringstream git;
    git << "git -C " << root << ' ';
    std::string commit = said(git.str() + "rev-parse --short=12 HEAD");
    // Results are not part of the measured code, and are about to change.
    const std::string changed =
        said(git.str() + "status --porcelain -- . ':!bench/results' ':!README.md' ':!docs'");
    if (!changed.empty()) {
        commit += "+changes";
    }
    return {
        .dataset = std::move(dataset),
        .date = said("date -u +%F"),
        .commit = std::move(commit),
        .where = {cpu_name(), std::thread::hardware_concurrency(), load_average()},
        .records = {},
        .latencies = {},
    };
}

}  // namespace bench
