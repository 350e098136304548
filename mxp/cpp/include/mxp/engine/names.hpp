/// The numbers of the services that a peer serves.
#ifndef MXP_ENGINE_NAMES_HPP
#define MXP_ENGINE_NAMES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxp::engine {

/// The names of the services of a Hello, which are found by their numbers. A peer can name tens of
/// thousands of which nobody asks for one: they lie one behind the other, and as many as programs
/// have are put into an order.
class service_numbers {
   public:
    /// Takes the services of a Hello in place of the earlier ones.
    template <class Services>
    void assign(const Services& services) {
        clear();
        for (const auto& one : services) {
            const std::string_view name = one.name();
            names_.append(name);
            ends_.push_back(static_cast<std::uint32_t>(names_.size()));
            if (ends_.size() == numbers_most) {
                break;
            }
        }
        names_.shrink_to_fit();
        ends_.shrink_to_fit();
        sort();
    }
    void clear() {
        names_ = {};
        ends_ = {};
        sorted_ = {};
    }

    /// The number of a service. Of two of one name it is the first.
    [[nodiscard]] std::optional<std::uint16_t> find(std::string_view service) const {
        if (sorted_.empty()) {
            for (std::size_t i = 0; i < ends_.size(); ++i) {
                if (name(i) == service) {
                    return static_cast<std::uint16_t>(i);
                }
            }
            return std::nullopt;
        }
        const auto found = std::lower_bound(
            sorted_.begin(), sorted_.end(), service,
            [this](std::uint16_t number, std::string_view text) { return name(number) < text; });
        if (found == sorted_.end() || name(*found) != service) {
            return std::nullopt;
        }
        return *found;
    }

    /// The names in the order of their numbers.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            all.emplace_back(name(i));
        }
        return all;
    }

    /// The bytes that they take.
    [[nodiscard]] std::size_t held() const noexcept {
        return names_.capacity() +
               ends_.capacity() * (sizeof(std::uint32_t) + sizeof(std::uint16_t));
    }

   private:
    /// How many services have numbers.
    static constexpr std::size_t numbers_most = 65536;
    /// Fewer are looked through as quickly, and more are not worth it.
    static constexpr std::size_t sorted_least = 16;
    static constexpr std::size_t sorted_most = 4096;

    [[nodiscard]] std::string_view name(std::size_t number) const {
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return std::string_view{names_}.substr(begin, ends_[number] - begin);
    }

    /// Puts the numbers into the order of the names, and of two of one name the first before.
    void sort() {
        if (ends_.size() < sorted_least || ends_.size() > sorted_most) {
            return;
        }
        sorted_.resize(ends_.size());
        for (std::size_t i = 0; i < sorted_.size(); ++i) {
            sorted_[i] = static_cast<std::uint16_t>(i);
        }
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [this](std::uint16_t a, std::uint16_t b) { return name(a) < name(b); });
    }

    std::string names_{};
    /// Where each name ends.
    std::vector<std::uint32_t> ends_{};
    /// The numbers in the order of their names, if they are.
    std::vector<std::uint16_t> sorted_{};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_NAMES_HPP
