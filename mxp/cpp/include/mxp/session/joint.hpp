/// The layout text of several types [EVO-5.10].
#ifndef MXP_SESSION_JOINT_HPP
#define MXP_SESSION_JOINT_HPP

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdp/layout_text.hpp"

namespace mxp::session::detail {

/// The layout text of several types, in which each block stands once. It refers to their names.
class joint_text {
   public:
    /// The text, which is empty without types.
    [[nodiscard]] std::string text() const {
        std::string all;
        for (const std::string& block : blocks_) {
            all.append(block);
        }
        return all;
    }

    /// Adds a type by its layout text, if it can join, and the blocks that are new have at most so
    /// many bytes. Gives how many they have.
    std::size_t add(std::string_view text, std::size_t most) {
        if (!sdp::layouts::is_layout_text(text)) {
            return 0;
        }
        const sdp::layouts::layout_text layout{text};
        auto places = places_;
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < layout.texts().size(); ++i) {
            numbers.push_back(places.emplace(layout.name(i), places.size()).first->second);
        }
        const std::size_t known = blocks_.size();
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            auto block = renumbered(layout.texts()[i], numbers[i], numbers);
            const bool is_new = numbers[i] == blocks_.size();
            if (!block || (!is_new && blocks_[numbers[i]] != *block)) {
                blocks_.resize(known);
                return 0;
            }
            if (is_new) {
                bytes += block->size();
                blocks_.push_back(std::move(*block));
            }
        }
        if (bytes > most) {
            blocks_.resize(known);
            return 0;
        }
        places_ = std::move(places);
        return bytes;
    }

   private:
    /// A block with another number, which names the blocks at other places. There is none where it
    /// names a block that is not there.
    [[nodiscard]] static std::optional<std::string>
    renumbered(std::string_view block, std::size_t number,
               const std::vector<std::size_t>& numbers) {
        const std::vector<std::string_view> lines = sdp::layouts::cut(block, '\n');
        const std::size_t space = lines.front().find(' ');
        std::string made = std::to_string(number) + " ";
        made.append(space == std::string_view::npos ? "" : lines.front().substr(space + 1));
        made.append("\n");
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const char* separator = "";
            for (const std::string_view word : sdp::layouts::cut(lines[i], ' ')) {
                made.append(std::exchange(separator, " "));
                const auto named = sdp::layouts::reference(word);
                if (named && *named >= numbers.size()) {
                    return std::nullopt;
                }
                made.append(named ? "#" + std::to_string(numbers[*named]) : std::string{word});
            }
            made.append("\n");
        }
        return made;
    }

    std::vector<std::string> blocks_{};
    /// The places of blocks, by their names.
    std::map<std::string_view, std::size_t> places_{};
};

}  // namespace mxp::session::detail

#endif  // MXP_SESSION_JOINT_HPP
