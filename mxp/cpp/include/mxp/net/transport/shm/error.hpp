/// Why a connection by shared memory is lost.
#ifndef MXP_NET_TRANSPORT_SHM_ERROR_HPP
#define MXP_NET_TRANSPORT_SHM_ERROR_HPP

#include <string>
#include <system_error>

#include "ring.hpp"

namespace mxp::net::detail::shm {

/// The loss of a connection whose peer tells numbers that can't be.
class index_category final : public std::error_category {
   public:
    [[nodiscard]] const char* name() const noexcept override { return "mxp.shm"; }
    [[nodiscard]] std::string message(int /*number*/) const override {
        return "shm_index: the peer tells numbers of bytes that can't be";
    }
};

/// The reason that nothing more is read: none at the end of the peer's writing.
[[nodiscard]] inline std::error_code ending(read_outcome outcome) {
    static const index_category index;
    return outcome == read_outcome::wrong  ? std::error_code{1, index}
           : outcome == read_outcome::lost ? std::make_error_code(std::errc::connection_reset)
                                           : std::error_code{};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_ERROR_HPP
