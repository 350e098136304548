/// The agents of the mesh that a client is a client of, as its node lists them [MESH-3.2].
#ifndef MXP_ENGINE_ROSTER_HPP
#define MXP_ENGINE_ROSTER_HPP

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../session/parts.hpp"
#include "../session/spec_gen.hpp"
#include "draw.hpp"
#include "outage.hpp"

namespace mxp::engine {

/// The agents that are followed, by their names, each with its addresses and the links to it.
template <class Links>
class roster {
   public:
    using microseconds = std::chrono::microseconds;
    using addresses = std::vector<std::string>;

    /// The agents of an address.
    explicit roster(const std::string& address)
        : address_(address), trouble_(unavailable("the node has not answered yet", address)) {}

    /// Takes the answer of the node: agents with an address that the client has a transport for.
    /// Beyond the limit, known agents stay first, others by chance. An agent with other addresses
    /// is another agent. Returns the pause before the next question to the node.
    template <class Draw, class Enter, class Retire>
    [[nodiscard]] microseconds list(const std::map<std::string, addresses>& there,
                                    std::uint64_t version, Draw& draw, Enter enter, Retire retire) {
        for (auto known = agents_.begin(); known != agents_.end();) {
            const auto still = there.find(known->first);
            if (still != there.end() && still->second == known->second.first) {
                ++known;
                continue;
            }
            retire(known->second.second);
            known = agents_.erase(known);
        }
        std::vector<const std::pair<const std::string, addresses>*> others;
        for (const auto& one : there) {
            if (agents_.count(one.first) == 0) {
                others.push_back(&one);
            }
        }
        shuffle(others, draw);
        for (const auto* const one : others) {
            if (agents_.size() < session::followed_agents) {
                agents_.emplace(one->first, std::pair{one->second, enter(one->second)});
            }
        }
        trouble_ = failure_of(session::kind::agent_unknown,
                              "the node knows of no such agent that can be reached");
        trouble_.peer = address_;
        may_come_ = true;
        const bool is_same = version == 0 || version == version_;
        version_ = version;
        return is_same ? ask_again : microseconds{session::asking_pause_us};
    }
    /// Notes that the node has not answered. Returns how long to wait before it is asked again.
    [[nodiscard]] microseconds fail(failure why) {
        trouble_ = std::move(why);
        may_come_ = false;
        return after_failure;
    }

    /// The version of the last answer, by which the node is asked again.
    [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
    [[nodiscard]] bool empty() const noexcept { return agents_.empty(); }
    /// Why there are no agents, where there are none.
    [[nodiscard]] const failure& trouble() const noexcept { return trouble_; }
    /// Whether there are no agents, and none can come.
    [[nodiscard]] bool is_hopeless() const noexcept {
        return empty() && !may_come_ && !may_heal(trouble_);
    }

   private:
    /// The pause where the node does not wait with its answer.
    static constexpr microseconds ask_again{1'000'000};
    /// The pause behind a question that the node has not answered.
    static constexpr microseconds after_failure{250'000};

    std::map<std::string, std::pair<addresses, Links>> agents_;
    std::uint64_t version_ = 0;
    std::string address_;
    failure trouble_;
    /// Whether an agent may come at any time.
    bool may_come_ = true;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_ROSTER_HPP
