/// The lines `directory …`.

#include <optional>

#include "words.hpp"

namespace runner {

namespace {

std::optional<mxp::session::directory> held;
std::uint64_t now = 0;

constexpr std::string_view wrong = "error\tthis is no request to a directory";

std::string leased(const mxp::session::result<std::uint64_t>& lease) {
    return lease ? "directory\tresult=ok\tlease=" + std::to_string(*lease) + "\tlines=0"
                 : refused("directory", lease.error());
}

std::string made(words& said) {
    mxp::session::directory_limits limits;
    limits.agents = static_cast<std::size_t>(said.number_or("agents", limits.agents));
    limits.agent_capabilities =
        static_cast<std::size_t>(said.number_or("agent_capabilities", limits.agent_capabilities));
    limits.lease_min_us = said.number_or("lease_min_us", limits.lease_min_us);
    limits.lease_max_us = said.number_or("lease_max_us", limits.lease_max_us);
    if (said.is_wrong()) {
        return std::string{wrong};
    }
    held.emplace(limits);
    return "directory\tresult=ok\tlines=0";
}

std::string discovered(const mxp::control::Agents& found) {
    std::string text = "directory\tresult=ok\tlines=" + std::to_string(found.agents.size());
    for (const auto& agent : found.agents) {
        text += "\nagent\tname=" + shown(agent.name) + "\tcapabilities=";
        for (const auto& one : agent.capabilities) {
            text += shown(one) + ",";
        }
        if (agent.capabilities.empty()) {
            text += "-";
        } else {
            text.pop_back();
        }
        text += "\tlease=" + std::to_string(agent.lease);
    }
    return text;
}

}  // namespace

std::string answer_directory(std::string_view line) {
    words said{line};
    now = said.number_or("now", now);
    if (said.verb() == "new") {
        return made(said);
    }
    if (!held) {
        return "error\tthere is no directory";
    }
    if (said.verb() == "register") {
        const auto owner = said.number("owner");
        const auto name = said.hex_text("name");
        auto capabilities = said.hex_list("capabilities");
        const auto lease = said.number("lease");
        return said.is_wrong()
                   ? std::string{wrong}
                   : leased(held->register_agent(owner, name, std::move(capabilities), lease, now));
    }
    if (said.verb() == "heartbeat") {
        const auto owner = said.number("owner");
        const auto name = said.hex_text("name");
        return said.is_wrong() ? std::string{wrong} : leased(held->heartbeat(owner, name, now));
    }
    if (said.verb() == "release") {
        const auto owner = said.number("owner");
        if (said.is_wrong()) {
            return std::string{wrong};
        }
        held->release(owner);
        return "directory\tresult=ok\tlines=0";
    }
    if (said.verb() == "discover") {
        const auto capability = said.hex_text("capability");
        return said.is_wrong() ? std::string{wrong} : discovered(held->discover(capability, now));
    }
    if (said.verb() == "timeout" && !said.is_wrong()) {
        const auto at = held->next_timeout();
        return "directory\tresult=ok\ttimeout=" + (at ? std::to_string(*at) : "-") + "\tlines=0";
    }
    return std::string{wrong};
}

}  // namespace runner
