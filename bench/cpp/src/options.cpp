#include <charconv>
#include <stdexcept>

#include "command.hpp"

namespace bench {
namespace {

int number(std::string_view flag, std::string_view text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc() || at != end || value < 1) {
        throw std::invalid_argument(std::string(flag) + " needs a number above 0");
    }
    return value;
}

void set(options& to, std::string_view flag, std::string_view value) {
    if (flag == "--root") {
        to.root = value;
    } else if (flag == "--dataset") {
        to.datasets = names(value);
    } else if (flag == "--codec") {
        to.codecs = names(value);
    } else if (flag == "--case") {
        to.tasks = names(value);
    } else if (flag == "--rounds") {
        to.rounds = number(flag, value);
    } else if (flag == "--sample") {
        to.sample = std::chrono::milliseconds(number(flag, value));
    } else {
        throw std::invalid_argument("unknown argument " + std::string(flag));
    }
}

}  // namespace

bool names::has(std::string_view name) const noexcept {
    std::string_view rest = list_;
    for (;;) {
        const std::size_t comma = rest.find(',');
        if (all() || rest.substr(0, comma) == name) {
            return true;
        }
        if (comma == std::string_view::npos) {
            return false;
        }
        rest.remove_prefix(comma + 1);
    }
}

options parse(std::span<const char* const> arguments) {
    options parsed;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view flag = arguments[i];
        if (flag == "--once") {
            parsed.once = true;
        } else if (flag == "--latency") {
            parsed.latency = true;
        } else if (const std::size_t equals = flag.find('='); equals != std::string_view::npos) {
            set(parsed, flag.substr(0, equals), flag.substr(equals + 1));
        } else {
            set(parsed, flag, i + 1 < arguments.size() ? arguments[++i] : "");
        }
    }
    return parsed;
}

}  // namespace bench
