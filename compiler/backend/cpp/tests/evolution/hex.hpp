/// Bytes as hexadecimal digits: how the two releases hand them to each other.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

inline void print(const std::vector<std::byte>& bytes) {
    for (const std::byte b : bytes) {
        std::printf("%02x", std::to_integer<unsigned>(b));
    }
    std::printf("\n");
}

inline std::vector<std::byte> parse(std::string_view digits) {
    const auto digit = [](char c) {
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes.push_back(static_cast<std::byte>(digit(digits[i]) * 16 + digit(digits[i + 1])));
    }
    return bytes;
}

/// Counts what isn't as it should be.
class expectations {
   public:
    void is(bool holds, const char* what) {
        if (!holds) {
            std::printf("it is not so that %s\n", what);
            ++failed_;
        }
    }
    [[nodiscard]] int failed() const { return failed_; }

   private:
    int failed_ = 0;
};
