#include "opaque.hpp"

namespace bench {

void* opaque_address(void* address) noexcept { return address; }

}  // namespace bench
