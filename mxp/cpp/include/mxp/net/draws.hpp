/// The source of a client's random draws: for pauses and the choice of connections.
#ifndef MXP_NET_DRAWS_HPP
#define MXP_NET_DRAWS_HPP

#include <random>

namespace mxp::net::detail {

class draws {
   public:
    /// The value of all draws, for the player of traces. Below 0, draws are random.
    static inline double fixed = -1;

    /// A number from 0 to less than 1.
    [[nodiscard]] double operator()() {
        return fixed < 0 ? std::generate_canonical<double, 32>(source_) : fixed;
    }

   private:
    std::minstd_rand source_{std::random_device{}()};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_DRAWS_HPP
