/// The standard library that a program and the compiled part of this library share.
#ifndef MXP_NET_STANDARD_HPP
#define MXP_NET_STANDARD_HPP

#if __has_include(<version>)
#include <version>
#endif

namespace mxp::net::detail {

/// A part of the names that a linker compares: types that standard libraries have since C++20 and
/// C++23 are theirs where they have them. A program for another standard than the library's does
/// not link.
template <bool HasSpan, bool HasExpected>
struct standard_of {};

#if defined(__cpp_lib_expected)
using standard = standard_of<true, true>;
#elif defined(__cpp_lib_span)
using standard = standard_of<true, false>;
#else
using standard = standard_of<false, false>;
#endif

}  // namespace mxp::net::detail

#endif  // MXP_NET_STANDARD_HPP
