/// The scalars `timestamp` and `duration`, and their texts.
#ifndef SDP_TIME_HPP
#define SDP_TIME_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "result.hpp"

namespace sdp {

/// A time: nanoseconds since 1970-01-01T00:00:00Z without leap seconds, which reach from 1677 to
/// 2262.
struct timestamp {
    std::int64_t nanoseconds = 0;

    /// Reads what `to_string` writes, with a fraction of up to nine digits, and nothing else
    /// [JSON-2.9]. A refusal is a `kind::value_invalid`.
    [[nodiscard]] static result<timestamp> parse(std::string_view text);

    friend constexpr bool operator==(timestamp a, timestamp b) noexcept {
        return a.nanoseconds == b.nanoseconds;
    }
    friend constexpr bool operator!=(timestamp a, timestamp b) noexcept { return !(a == b); }
    friend constexpr bool operator<(timestamp a, timestamp b) noexcept {
        return a.nanoseconds < b.nanoseconds;
    }
    friend constexpr bool operator>(timestamp a, timestamp b) noexcept { return b < a; }
    friend constexpr bool operator<=(timestamp a, timestamp b) noexcept { return !(b < a); }
    friend constexpr bool operator>=(timestamp a, timestamp b) noexcept { return !(a < b); }
};

/// A length of time in nanoseconds, which may be negative.
struct duration {
    std::int64_t nanoseconds = 0;

    /// Reads what `to_string` writes, with a fraction of up to nine digits, and nothing else
    /// [JSON-2.11]. A refusal is a `kind::value_invalid`.
    [[nodiscard]] static result<duration> parse(std::string_view text);

    friend constexpr bool operator==(duration a, duration b) noexcept {
        return a.nanoseconds == b.nanoseconds;
    }
    friend constexpr bool operator!=(duration a, duration b) noexcept { return !(a == b); }
    friend constexpr bool operator<(duration a, duration b) noexcept {
        return a.nanoseconds < b.nanoseconds;
    }
    friend constexpr bool operator>(duration a, duration b) noexcept { return b < a; }
    friend constexpr bool operator<=(duration a, duration b) noexcept { return !(b < a); }
    friend constexpr bool operator>=(duration a, duration b) noexcept { return !(a < b); }
};

namespace wire::time_text {

inline constexpr std::int64_t second = 1'000'000'000;
inline constexpr std::int64_t day_seconds = 86'400;

/// How many days pass from January 1st of year 0 to the Unix epoch.
inline constexpr std::int64_t epoch_days = 719'528;

/// A quotient rounded down, of a positive divisor.
[[nodiscard]] constexpr std::int64_t floored(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
}

[[nodiscard]] constexpr bool is_leap(std::int64_t year) noexcept {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/// The days of a month, which counts from 1.
[[nodiscard]] constexpr std::int64_t month_days(std::int64_t year, std::int64_t month) noexcept {
    if (month == 2) {
        return is_leap(year) ? 29 : 28;
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// The days from January 1st of year 0 to January 1st of a year.
[[nodiscard]] constexpr std::int64_t days_before(std::int64_t year) noexcept {
    const std::int64_t past = year - 1;
    return year * 365 + floored(past, 4) - floored(past, 100) + floored(past, 400) + 1;
}

struct calendar_day {
    std::int64_t year;
    std::int64_t month;
    std::int64_t day;
};

/// The day that many days after the Unix epoch.
[[nodiscard]] constexpr calendar_day day_after_epoch(std::int64_t days) noexcept {
    days += epoch_days;
    // 400 years have 146,097 days, so this is at most a year or two too late.
    std::int64_t year = days * 400 / 146'097 + 1;
    while (days_before(year) > days) {
        --year;
    }
    std::int64_t day = days - days_before(year);
    std::int64_t month = 1;
    while (day >= month_days(year, month)) {
        day -= month_days(year, month);
        ++month;
    }
    return {year, month, day + 1};
}

/// Appends a number with zeros before it.
inline void append_number(std::string& text, std::int64_t n, std::size_t width) {
    const std::string digits = std::to_string(n);
    text.append(digits.size() < width ? width - digits.size() : 0, '0').append(digits);
}

/// Appends a point and the digits of a part of a second, without trailing zeros, or nothing for no
/// part.
inline void append_fraction(std::string& text, std::int64_t nanoseconds) {
    if (nanoseconds == 0) {
        return;
    }
    std::size_t width = 9;
    for (; nanoseconds % 10 == 0; nanoseconds /= 10) {
        --width;
    }
    text.push_back('.');
    append_number(text, nanoseconds, width);
}

/// Reads at most 18 digits; none are 0.
[[nodiscard]] inline std::optional<std::int64_t> digits(std::string_view text) noexcept {
    std::int64_t n = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        n = n * 10 + (c - '0');
    }
    return n;
}

/// Reads a point and one to nine digits, as nanoseconds, or nothing at all.
[[nodiscard]] inline std::optional<std::int64_t> fraction(std::string_view text) noexcept {
    if (text.empty()) {
        return 0;
    }
    if (text.front() != '.' || text.size() < 2 || text.size() > 10) {
        return std::nullopt;
    }
    auto nanoseconds = digits(text.substr(1));
    for (std::size_t place = text.size(); nanoseconds && place < 10; ++place) {
        *nanoseconds *= 10;
    }
    return nanoseconds;
}

/// The nanoseconds of seconds and a part of a second that is not negative, if they can be counted.
[[nodiscard]] constexpr std::optional<std::int64_t> total(std::int64_t seconds,
                                                          std::int64_t part) noexcept {
    using range = std::numeric_limits<std::int64_t>;
    // Toward zero, so that the seconds alone stay in range wherever the sum does.
    if (seconds < 0 && part > 0) {
        ++seconds;
        part -= second;
    }
    if (seconds > range::max() / second || seconds < range::min() / second) {
        return std::nullopt;
    }
    const std::int64_t whole = seconds * second;
    if (part > 0 ? whole > range::max() - part : whole < range::min() - part) {
        return std::nullopt;
    }
    return whole + part;
}

/// Reads a day and a time, for instance "2026-11-21T03:26:00", as seconds since the epoch.
[[nodiscard]] inline std::optional<std::int64_t> date_and_time(std::string_view text) noexcept {
    const auto number = [text](std::size_t position, std::size_t n) {
        return digits(text.substr(position, n));
    };
    if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
        text[13] != ':' || text[16] != ':') {
        return std::nullopt;
    }
    const auto year = number(0, 4), month = number(5, 2), day = number(8, 2);
    const auto hour = number(11, 2), minute = number(14, 2), second_of = number(17, 2);
    if (!year || !month || !day || !hour || !minute || !second_of || *month < 1 || *month > 12 ||
        *day < 1 || *day > month_days(*year, *month) || *hour > 23 || *minute > 59 ||
        *second_of > 59) {
        return std::nullopt;
    }
    std::int64_t days = days_before(*year) + *day - 1 - epoch_days;
    for (std::int64_t past = 1; past < *month; ++past) {
        days += month_days(*year, past);
    }
    return days * day_seconds + *hour * 3600 + *minute * 60 + *second_of;
}

[[nodiscard]] inline std::optional<std::int64_t> timestamp_of(std::string_view text) noexcept {
    if (text.size() < 20 || text.back() != 'Z') {
        return std::nullopt;
    }
    const auto seconds = date_and_time(text.substr(0, 19));
    const auto part = fraction(text.substr(19, text.size() - 20));
    return seconds && part ? total(*seconds, *part) : std::nullopt;
}

[[nodiscard]] inline std::optional<std::int64_t> duration_of(std::string_view text) noexcept {
    if (text.empty() || text.back() != 's') {
        return std::nullopt;
    }
    text.remove_suffix(1);
    const bool negative = !text.empty() && text.front() == '-';
    if (negative) {
        text.remove_prefix(1);
    }
    const std::string_view whole = text.substr(0, text.find('.'));
    // Ten digits are as many as a count of nanoseconds has seconds.
    if (whole.empty() || whole.size() > 10 || (whole.size() > 1 && whole.front() == '0')) {
        return std::nullopt;
    }
    auto seconds = digits(whole);
    auto part = fraction(text.substr(whole.size()));
    if (!seconds || !part) {
        return std::nullopt;
    }
    if (!negative) {
        return total(*seconds, *part);
    }
    return *part == 0 ? total(-*seconds, 0) : total(-*seconds - 1, second - *part);
}

}  // namespace wire::time_text

inline result<timestamp> timestamp::parse(std::string_view text) {
    const auto nanoseconds = wire::time_text::timestamp_of(text);
    if (!nanoseconds) {
        return unexpected{error{kind::value_invalid}};
    }
    return timestamp{*nanoseconds};
}

inline result<duration> duration::parse(std::string_view text) {
    const auto nanoseconds = wire::time_text::duration_of(text);
    if (!nanoseconds) {
        return unexpected{error{kind::value_invalid}};
    }
    return duration{*nanoseconds};
}

/// The time in the one form of RFC 3339 that canonical JSON has [JSON-2.8], for instance
/// "2026-11-21T03:26:00.5Z".
[[nodiscard]] inline std::string to_string(timestamp time) {
    using namespace wire::time_text;
    const std::int64_t seconds = floored(time.nanoseconds, second);
    const std::int64_t days = floored(seconds, day_seconds);
    const calendar_day date = day_after_epoch(days);
    const std::int64_t in_day = seconds - days * day_seconds;
    std::string text;
    append_number(text, date.year, 4);
    append_number(text.append("-"), date.month, 2);
    append_number(text.append("-"), date.day, 2);
    append_number(text.append("T"), in_day / 3600, 2);
    append_number(text.append(":"), in_day / 60 % 60, 2);
    append_number(text.append(":"), in_day % 60, 2);
    const std::int64_t part = time.nanoseconds % second;
    append_fraction(text, part < 0 ? part + second : part);
    return text.append("Z");
}

/// Decimal seconds and `s` [JSON-2.10], for instance "-1.5s".
[[nodiscard]] inline std::string to_string(duration length) {
    using namespace wire::time_text;
    const std::int64_t seconds = length.nanoseconds / second;
    const std::int64_t part = length.nanoseconds % second;
    std::string text{length.nanoseconds < 0 ? "-" : ""};
    append_number(text, seconds < 0 ? -seconds : seconds, 1);
    append_fraction(text, part < 0 ? -part : part);
    return text.append("s");
}

}  // namespace sdp

#endif  // SDP_TIME_HPP
