/// Values that hold something wherever they can, for others to be decoded into.
#pragma once

#include "sample.hpp"

namespace fuzz {

/// The bytes of a value of each golden type.
template <class Owned>
sample::bytes full();

/// The same for a type of any form.
template <class T>
const sample::bytes& full_bytes() {
    static const sample::bytes bytes = full<typename T::sdp_codec::type>();
    return bytes;
}

}  // namespace fuzz
