/// Programs that are registered at their own node for as long as they run [MESH-3.4].
#ifndef MXP_NET_ANNOUNCEMENT_HPP
#define MXP_NET_ANNOUNCEMENT_HPP

#include <cstdint>
#include <functional>
#include <memory>

#include "../session/mxp_registry.hpp"
#include "client_options.hpp"
#include "standard.hpp"

namespace asio {
class io_context;
}

namespace mxp::net {

/// A program that is registered at its own node (`client_options::node`): the lease, of ten seconds
/// if none is asked for, is renewed, and the program registered anew, with its last epoch, where
/// the connection to the node is another or the lease was lost. It begins at once, and goes on
/// while the node is not there, or the name another's. When this is gone the name is given up.
class announcement {
   public:
    /// Is told each epoch, and each loss: 0 and the reason, which is null otherwise. It is called
    /// on the threads of the context, once at a time.
    using handler = std::function<void(std::uint64_t epoch, const failure* failure)>;

    /// A name that can't be is told as a loss with `agent_invalid`, and not asked for again.
    announcement(asio::io_context& io, registry::Registration registration,
                 client_options node = {}, handler then = {}, detail::standard = {});
    announcement(const announcement&) = delete;
    announcement& operator=(const announcement&) = delete;
    ~announcement();

    /// The epoch of the name's lease; 0 while the name is not registered.
    [[nodiscard]] std::uint64_t epoch() const noexcept;

   private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace mxp::net

#endif  // MXP_NET_ANNOUNCEMENT_HPP
