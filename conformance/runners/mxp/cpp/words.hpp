/// Lines of sessions and directories: a verb and words `key=value`.
#ifndef MXP_RUNNER_WORDS_HPP
#define MXP_RUNNER_WORDS_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxp/session.hpp"
#include "request.hpp"

namespace runner {

/// The words of a line. Missing or senseless words are remembered, and are then for the caller to
/// look at.
class words {
   public:
    explicit words(std::string_view line);

    [[nodiscard]] std::string_view verb() const { return verb_; }
    /// Whether a word asked for was missing or made no sense.
    [[nodiscard]] bool is_wrong() const { return is_wrong_; }
    /// Says that a word makes no sense.
    void reject() { is_wrong_ = true; }

    [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
    [[nodiscard]] std::string_view text(std::string_view key);
    [[nodiscard]] std::uint64_t number(std::string_view key);
    [[nodiscard]] std::uint64_t number_or(std::string_view key, std::uint64_t otherwise);
    /// A number of at most `Number`'s bits.
    template <class Number>
    [[nodiscard]] Number small(std::string_view key) {
        const std::uint64_t from = number(key);
        is_wrong_ = is_wrong_ || from > std::numeric_limits<Number>::max();
        return static_cast<Number>(from);
    }
    [[nodiscard]] bool flag(std::string_view key) { return number(key) != 0; }
    [[nodiscard]] bytes hex(std::string_view key);
    /// Bytes as a string.
    [[nodiscard]] std::string hex_text(std::string_view key);
    [[nodiscard]] std::vector<std::string> hex_list(std::string_view key);
    [[nodiscard]] mxp::registry::Registration registration();
    [[nodiscard]] mxp::registry::Query query();
    [[nodiscard]] std::optional<mxp::session::trace_context> trace();
    [[nodiscard]] std::vector<std::pair<std::string, bytes>> metadata();
    [[nodiscard]] std::vector<std::string_view> all(std::string_view key) const;

    /// Reads bytes, and remembers if they are none.
    [[nodiscard]] bytes from(std::string_view text);

   private:
    [[nodiscard]] const std::string_view* find(std::string_view key) const;

    std::string_view verb_;
    std::vector<std::pair<std::string_view, std::string_view>> pairs_;
    bool is_wrong_ = false;
};

/// The parts of a text between separators.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Bytes as a string.
[[nodiscard]] std::string text_of(const bytes& from);

/// Bytes in hexadecimal digits, or `-` if there are none.
[[nodiscard]] std::string shown(mxp::bytes_view from);

/// The answer to a verb that was refused.
[[nodiscard]] inline std::string refused(std::string_view subject, mxp::session::kind why) {
    return std::string(subject) + "\tresult=refused\terror=" + std::string(to_string(why)) +
           "\tlines=0";
}

/// Answers a line of a session.
[[nodiscard]] std::string answer_session(std::string_view line);

/// Answers a line of a directory.
[[nodiscard]] std::string answer_directory(std::string_view line);

}  // namespace runner

#endif  // MXP_RUNNER_WORDS_HPP
