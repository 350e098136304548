/// The results of a session's functions: a value, or the name of a refusal.
#ifndef MXP_SESSION_RESULT_HPP
#define MXP_SESSION_RESULT_HPP

#include "../result.hpp"
#include "spec_gen.hpp"

namespace mxp::session {

/// A value, or the refusal that took its place.
template <class T>
using result = mxp::result<T, kind>;

/// The refusal that a function returns instead of a value.
using unexpected = mxp::unexpected_of<kind>;

}  // namespace mxp::session

#endif  // MXP_SESSION_RESULT_HPP
