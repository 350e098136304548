/// The transports that there are, by the schemes of their addresses.
#ifndef MXP_NET_TRANSPORTS_HPP
#define MXP_NET_TRANSPORTS_HPP

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "address.hpp"
#include "address_forms.hpp"
#include "mesh_address.hpp"
#include "system/features.hpp"
#include "transport.hpp"
#include "transport/pipe.hpp"
#include "transport/schemes.hpp"
#include "transport/shm.hpp"
#include "transport/tcp.hpp"
#include "transport/tls.hpp"
#include "transport/unix.hpp"

namespace mxp::net {

namespace detail {

/// A table of transports, in the order in which they were registered.
class transports {
   public:
    /// The transports of this program.
    [[nodiscard]] static transports& registered() {
        static transports all;
        return all;
    }

    void add(std::string scheme, std::shared_ptr<transport> transport) {
        const std::lock_guard<std::mutex> lock{mutex_};
        if (look_up(scheme) != nullptr || depends_on_system(scheme)) {
            throw std::invalid_argument{"mxp+" + scheme + " is another transport's"};
        }
        all_.emplace_back(std::move(scheme), std::move(transport));
    }
    /// The transport of a scheme; null if there is none.
    [[nodiscard]] std::shared_ptr<transport> find(std::string_view scheme) const {
        const std::lock_guard<std::mutex> lock{mutex_};
        return look_up(scheme);
    }
    /// How their addresses look, as a text that says of another that it is none.
    [[nodiscard]] std::string looks() const {
        const std::lock_guard<std::mutex> lock{mutex_};
        std::string made;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            made.append(i == 0 ? "" : i + 1 < all_.size() ? ", " : " or ");
            made.append("mxp+").append(all_[i].first).append("://");
            made.append(look_of(all_[i].second->form()));
        }
        return made;
    }

   private:
    [[nodiscard]] std::shared_ptr<transport> look_up(std::string_view scheme) const {
        const auto found = std::find_if(all_.begin(), all_.end(),
                                        [&](const auto& item) { return item.first == scheme; });
        return found == all_.end() ? nullptr : found->second;
    }

    mutable std::mutex mutex_{};
    std::vector<std::pair<std::string, std::shared_ptr<transport>>> all_ {
#if MXP_HAS_UNIX_SOCKETS
        {std::string{unix_scheme}, std::make_shared<unix_transport>()},
#endif
#if MXP_HAS_PIPES
            {std::string{pipe_scheme}, std::make_shared<pipe_transport>()},
#endif
            {"tcp", std::make_shared<tcp_transport>()}, {"tls", std::make_shared<tls_transport>()},
            {std::string{shm_scheme}, std::make_shared<shm_transport>()},
    };
};

}  // namespace detail

namespace detail {

/// An address to connect to, if its text is one.
struct destination {
    std::optional<address> at;
    std::string text;
};

/// The destinations of a client: at least one, which may be none, unless they are agents, whose
/// address stands alone.
[[nodiscard]] inline std::vector<destination>
destinations(const std::vector<std::string>& addresses) {
    std::vector<destination> made;
    const auto agents = std::find_if(addresses.begin(), addresses.end(), names_agents);
    if (agents != addresses.end()) {
        if (addresses.size() > 1) {
            made.push_back({std::nullopt, *agents});
        }
        return made;
    }
    for (const std::string& one : addresses) {
        made.push_back({parse_address(one), one});
    }
    if (made.empty()) {
        made.push_back({std::nullopt, {}});
    }
    return made;
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORTS_HPP
