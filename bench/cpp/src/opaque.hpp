#pragma once

namespace bench {

/// Gives back the address that it was given. It is compiled by itself, so that the optimizer knows
/// neither that, nor whether what is there was read or changed.
void* opaque_address(void* address) noexcept;

/// The same value, of which the optimizer knows nothing.
template <class T>
T& opaque(T& value) noexcept {
    return *static_cast<T*>(opaque_address(const_cast<void*>(static_cast<const void*>(&value))));
}

}  // namespace bench
