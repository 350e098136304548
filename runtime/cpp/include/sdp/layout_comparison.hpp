/// Whether the layout text of one side reads that of the other [EVO-5.7].
#ifndef SDP_LAYOUT_COMPARISON_HPP
#define SDP_LAYOUT_COMPARISON_HPP

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layout_text.hpp"
#include "spec_gen.hpp"

namespace sdp::layouts {

/// The places of a block here and of one there.
using layout_pair = std::pair<std::size_t, std::size_t>;

/// Compares two layout texts, of which one side reads what the other writes. A pair of blocks is
/// compared once, however many types of a joint text reach it.
class layout_comparison {
   public:
    /// Either this side reads what the peer writes, or the peer reads.
    layout_comparison(const layout_text& here, const layout_text& there, bool is_reader)
        : here_(here), there_(there), is_reader_(is_reader) {}

    /// The first difference that keeps the reader from reading a type of the other side's, whose
    /// blocks are a pair. It is empty if there is none.
    [[nodiscard]] std::string difference(layout_pair root) {
        std::vector<layout_pair> queue{root};
        std::set<layout_pair> seen{root};
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const verdict* const known = compared(queue[i]);
            if (known == nullptr) {
                return std::string{here_[root.first].name} + ": layouts unknown";
            }
            if (!known->difference.empty()) {
                return known->difference;
            }
            for (const layout_pair& next : known->named) {
                if (queue.size() <= layout_pairs && seen.insert(next).second) {
                    queue.push_back(next);
                }
            }
        }
        return {};
    }

   private:
    using block = layout_block;
    using member = layout_member;
    using words = std::vector<std::string_view>;

    /// The result of the comparison of a pair: the first difference, and the pairs that the members
    /// name.
    struct verdict {
        std::string difference{};
        std::vector<layout_pair> named{};
    };

    /// Compares a pair of blocks; null where too many were compared.
    [[nodiscard]] const verdict* compared(layout_pair places) {
        const auto known = verdicts_.find(places);
        if (known != verdicts_.end()) {
            return &known->second;
        }
        if (verdicts_.size() == layout_pairs) {
            return nullptr;
        }
        named_.clear();
        std::string found = compare(here_[places.first], there_[places.second]);
        found.resize(std::min(found.size(), difference_bytes));
        return &verdicts_.emplace(places, verdict{std::move(found), named_}).first->second;
    }

    /// Gives a reader and a writer as the two sides here and there, and the reverse.
    template <class T>
    [[nodiscard]] std::pair<T, T> sides(T a, T b) const {
        return is_reader_ ? std::pair<T, T>{std::move(a), std::move(b)}
                          : std::pair<T, T>{std::move(b), std::move(a)};
    }

    /// The text of a difference of two types, or of a member of theirs, which may have no name.
    [[nodiscard]] static std::string differs(const block& block,
                                             std::optional<std::string_view> word,
                                             std::string_view ours, std::string_view peer) {
        std::string text{block.name};
        if (word) {
            text.append(".").append(*word);
        }
        text.append(": here ").append(ours).append(", there ").append(peer);
        return text;
    }

    /// The first difference of two blocks [EVO-5.8].
    [[nodiscard]] std::string compare(const block& ours, const block& peer) {
        if (!are_alike(ours, peer)) {
            return differs(ours, std::nullopt, ours.shown(), peer.shown());
        }
        if (ours.kind != "struct" && ours.kind != "message") {
            return numbers(ours, peer);
        }
        std::string found = fields(ours, peer);
        return found.empty() && ours.kind == "message" ? segments(ours, peer) : found;
    }

    /// Whether the first lines of two blocks read each other.
    [[nodiscard]] bool are_alike(const block& ours, const block& peer) const {
        const auto [reader, writer] = sides(&ours, &peer);
        return ours.kind == peer.kind && ours.base == peer.base &&
               (ours.is_closed == peer.is_closed || (reader->kind == "enum" && writer->is_closed));
    }

    /// Compares fields by their positions.
    [[nodiscard]] std::string fields(const block& ours, const block& peer) {
        const std::size_t shared = std::min(ours.members.size(), peer.members.size());
        for (std::size_t i = 0; i < shared; ++i) {
            std::string found = field(ours, peer, i);
            if (!found.empty()) {
                return found;
            }
        }
        if (ours.kind == "message") {
            return {};  // what one side has in addition is passed over, or missing
        }
        if (shared < ours.members.size()) {
            const member& a = ours.members[shared];
            return differs(ours, a.name, here_.spell(a.words), lacking);
        }
        if (shared < peer.members.size()) {
            const member& b = peer.members[shared];
            return differs(ours, b.name, lacking, there_.spell(b.words));
        }
        return {};
    }

    /// Compares the two fields at a position.
    [[nodiscard]] std::string field(const block& ours, const block& peer, std::size_t i) {
        const member& a = ours.members[i];
        const member& b = peer.members[i];
        if (a.name != b.name) {
            const auto at = peer.find(a.name);
            const bool is_here = ours.find(b.name).has_value();
            if (at && is_here) {
                return differs(ours, a.name, "field " + std::to_string(i + 1),
                               "field " + std::to_string(*at + 1));
            }
            if (at) {
                return differs(ours, b.name, lacking, there_.spell(b.words));
            }
            if (is_here) {
                return differs(ours, a.name, here_.spell(a.words), lacking);
            }
        }
        return member_types(ours, a, b);
    }

    /// Compares the types of two members. Where they differ and the names do too, none was renamed,
    /// and the other side lacks the member.
    [[nodiscard]] std::string member_types(const block& ours, const member& a, const member& b) {
        if (types(a.words, b.words)) {
            return {};
        }
        return differs(ours, a.name, here_.spell(a.words),
                       a.name == b.name ? there_.spell(b.words) : std::string{lacking});
    }

    /// Looks for an end of a segment that the writer has and the reader has not [EVO-4.4].
    [[nodiscard]] std::string segments(const block& ours, const block& peer) const {
        const auto [reader, writer] = sides(&ours, &peer);
        for (std::size_t i = 0; i < reader->members.size(); ++i) {
            const bool is_written = i < writer->members.size();
            const bool ends = writer->ends.count(i) != 0 || i == writer->members.size();
            if (!ends || reader->ends.count(i) != 0) {
                continue;
            }
            const auto [a, b] = sides("segment " + std::to_string(reader->segment(i)),
                                      is_written ? "segment " + std::to_string(writer->segment(i))
                                                 : std::string{lacking});
            return differs(ours, reader->members[i].name, a, b);
        }
        return {};
    }

    /// Compares the members of enums and the alternatives of unions.
    [[nodiscard]] std::string numbers(const block& ours, const block& peer) {
        const std::string what = ours.kind == "union" ? "tag " : "number ";
        const auto numbered = [&](const member& field) { return what + std::string{field.number}; };
        for (const member& a : ours.members) {
            const auto at = peer.find(a.name);
            if (at && peer.members[*at].number != a.number) {
                return differs(ours, a.name, numbered(a), numbered(peer.members[*at]));
            }
            if (const member* const b = peer.numbered(a.number)) {
                std::string found = member_types(ours, a, *b);
                if (!found.empty()) {
                    return found;
                }
            }
        }
        const auto [reader, writer] = sides(&ours, &peer);
        for (const member& one : writer->members) {
            if (reader->is_closed && reader->numbered(one.number) == nullptr) {
                const auto [a, b] = sides(std::string{lacking}, numbered(one));
                return differs(ours, one.name, a, b);
            }
        }
        return {};
    }

    /// Compares two types word by word, and adds the pairs of blocks that they name [EVO-5.9].
    [[nodiscard]] bool types(words ours, words peer) {
        std::size_t i = 0;
        std::size_t j = 0;
        while (i < ours.size() && j < peer.size()) {
            const std::string_view a = without_bound(ours[i]);
            const std::string_view b = without_bound(peer[j]);
            const auto x = here_.place(a);
            const auto y = there_.place(b);
            if (x && y) {
                if (here_[*x].name != there_[*y].name && !are_alike(here_[*x], there_[*y])) {
                    return false;
                }
                named_.emplace_back(*x, *y);
            } else if (x) {
                if (!is_integer(here_[*x], b, !is_reader_)) {
                    return false;
                }
            } else if (y) {
                if (!is_integer(there_[*y], a, is_reader_)) {
                    return false;
                }
            } else if (are_octets(a, b)) {
                ours[i] = "u8";
                ++j;
                continue;
            } else if (are_octets(b, a)) {
                peer[j] = "u8";
                ++i;
                continue;
            } else if (a != b) {
                return false;
            }
            ++i;
            ++j;
        }
        return i == ours.size() && j == peer.size();
    }

    /// A word without the bound that may be behind it.
    [[nodiscard]] static std::string_view without_bound(std::string_view word) {
        return word.substr(0, word.find("<="));
    }

    /// Whether an enum and an integer read each other. A closed enum can't read what any integer
    /// may be.
    [[nodiscard]] static bool is_integer(const block& block, std::string_view word,
                                         bool is_written) {
        return block.kind == "enum" && block.base == word && (is_written || !block.is_closed);
    }

    /// Whether one word is of bytes and the other of a list with as long a count.
    [[nodiscard]] static bool are_octets(std::string_view octets, std::string_view list) {
        return octets.substr(0, 5) == "bytes" && list.substr(0, 4) == "list" &&
               octets.substr(5) == list.substr(4);
    }

    const layout_text& here_;
    const layout_text& there_;
    bool is_reader_;
    std::map<layout_pair, verdict> verdicts_{};
    /// The pairs that the members of the blocks name which are compared now.
    std::vector<layout_pair> named_{};
};

/// A text of this side's and one of the peer's, in both directions.
class comparison {
   public:
    comparison(std::string_view here, std::string_view there) : here_(here), there_(there) {}
    // The comparisons refer to the texts.
    comparison(const comparison&) = delete;
    comparison& operator=(const comparison&) = delete;

    /// The places of the blocks of a type, if both texts have it.
    [[nodiscard]] std::optional<layout_pair> find(std::string_view name) {
        const auto here = here_.find(name);
        const auto there = there_.find(name);
        return here && there ? std::optional{layout_pair{*here, *there}} : std::nullopt;
    }

    layout_comparison& inward() noexcept { return inward_; }
    layout_comparison& outward() noexcept { return outward_; }

   private:
    layout_text here_;
    layout_text there_;
    layout_comparison inward_{here_, there_, true};
    layout_comparison outward_{here_, there_, false};
};

}  // namespace sdp::layouts

#endif  // SDP_LAYOUT_COMPARISON_HPP
