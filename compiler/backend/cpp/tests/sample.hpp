/// A value with every construct, made by hand, and the bytes that the compiler's interpreter made
/// of the same value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shapes.hpp"

namespace sample {

using bytes = std::vector<std::byte>;

/// All forms of a type.
template <class Owned, class Borrowed, class Pooled, class View>
struct forms {
    using owned = Owned;
    using borrowed = Borrowed;
    using pooled = Pooled;
    using view = View;
};

using everything_forms = forms<shapes::Everything, shapes::EverythingRef, shapes::pmr::Everything,
                               shapes::EverythingView>;
using log_forms = forms<shapes::Log, shapes::LogRef, shapes::pmr::Log, shapes::LogView>;

/// The value of `everything.json`.
shapes::Everything everything();

/// A registry with two plugins that have parameters.
plugins::PluginRegistry registry();

/// The bytes of hexadecimal digits.
bytes from_hex(std::string_view digits);

/// Bytes made of numbers.
bytes from(std::initializer_list<unsigned> numbers);

/// A line of the table of damages: what is said of bytes that are damaged at the places from
/// `first` to `last`.
struct line {
    std::size_t first;
    std::size_t last;
    std::string says;
};

/// The bytes that the table damages.
bytes table_bytes();

/// The verdicts of the compiler's interpreter on one kind of damage.
std::vector<line> table_lines(std::string_view damage);

}  // namespace sample
