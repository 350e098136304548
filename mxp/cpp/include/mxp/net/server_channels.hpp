/// The channels of a server.
#ifndef MXP_NET_SERVER_CHANNELS_HPP
#define MXP_NET_SERVER_CHANNELS_HPP

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "channel.hpp"
#include "server_state.hpp"
#include "transport/shm/proposal.hpp"

namespace mxp::net {

/// The place of a channel among a server's connections.
class server::counted_channel {
   public:
    counted_channel(std::weak_ptr<state> state, std::uint64_t number) noexcept
        : of_(std::move(state)), number_(number) {}
    counted_channel(const counted_channel&) = delete;
    counted_channel& operator=(const counted_channel&) = delete;
    /// A server that was closed counts no channels any more, and may have no context.
    ~counted_channel() {
        const auto of = of_.lock();
        if (of == nullptr) {
            return;
        }
        const std::lock_guard<std::mutex> lock{of->mutex};
        if (of->channels.erase(number_) > 0 && of->is_closed) {
            of->later_settle();
        }
    }

   private:
    std::weak_ptr<state> of_;
    std::uint64_t number_;
};

/// Opens the channel that a peer wants, which counts as a connection.
inline void server::state::open_channel(detail::shm::proposal& proposal, protection protection,
                                        detail::strand& turns) {
    const auto refuse = [&](const failure& why) {
        proposal.refuse(why);
        options.shm.account->tell(proposal.who.address, why.name + ": " + why.text);
    };
    if (const auto why = admit(proposal.who, protection)) {
        refuse(*why);
        return;
    }
    static const net::channels none;
    const auto found = (options.channels ? *options.channels : none).find(proposal.wish);
    if (!found) {
        refuse(found.error());
        return;
    }
    std::uint64_t number = 0;
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (is_closed || connections.size() + channels.size() >= options.connections) {
            return;
        }
        number = next_channel++;
        channels.emplace(number, nullptr);
    }
    auto made =
        proposal.accept((*found)->by, std::make_shared<counted_channel>(weak_from_this(), number));
    if (!made) {
        options.shm.account->tell(proposal.who.address,
                                  made.error().name + ": " + made.error().text);
        return;
    }
    const auto watch = made->sending.watcher();
    bool is_over = false;
    {
        const std::lock_guard<std::mutex> lock{mutex};
        const auto place = channels.find(number);
        is_over = is_closed || place == channels.end();
        if (!is_over) {
            place->second = [watch] { watch.close(); };
        }
    }
    if (is_over) {
        watch.close();
    }
    turns.shield([&] { (*found)->handler(std::move(*made), proposal.who); });
}

}  // namespace mxp::net

#endif  // MXP_NET_SERVER_CHANNELS_HPP
