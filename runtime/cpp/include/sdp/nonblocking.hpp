/// The promise that a function never waits: it allocates nothing, takes no lock and asks the system
/// for nothing.
///
/// A program that is compiled by clang from version 20 on with `-Wfunction-effects` may define
/// `SDP_NONBLOCKING` as `[[clang::nonblocking]]`: each function that promises it is then held
/// against what it calls. The attribute is a part of a function's type, which `std::mem_fn` does
/// not know, and compilers look into inline functions without it. The macro is therefore empty
/// unless a program defines it.
#ifndef SDP_NONBLOCKING_HPP
#define SDP_NONBLOCKING_HPP

#if !defined(SDP_NONBLOCKING)
#define SDP_NONBLOCKING
#endif

#endif  // SDP_NONBLOCKING_HPP
