/// The lines `directory …`.

#include <optional>

#include "words.hpp"

namespace runner {

namespace {

std::optional<mxp::session::directory> held;
std::uint64_t now = 0;

constexpr std::string_view wrong = "error\tthis is no request to a directory";

std::string leased(const mxp::session::result<mxp::registry::Lease>& lease) {
    return lease ? "directory\tresult=ok\tlease=" + std::to_string(lease->lease) +
                       "\tepoch=" + std::to_string(lease->epoch) + "\tlines=0"
                 : refused("directory", lease.error());
}

std::string listed(const std::vector<std::string>& texts) {
    std::string all;
    for (const auto& one : texts) {
        all += (all.empty() ? "" : ",") + shown(one);
    }
    return texts.empty() ? "-" : all;
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

std::string discovered(const mxp::registry::Agents& found) {
    std::string text = "directory\tresult=ok\tlines=" + std::to_string(found.agents.size());
    for (const auto& agent : found.agents) {
        text +=
            "\nagent\tname=" + shown(agent.name) + "\tcapabilities=" + listed(agent.capabilities) +
            "\tlease=" + std::to_string(agent.lease) + "\taddresses=" + listed(agent.addresses) +
            "\tservices=" + listed(agent.services) + "\tepoch=" + std::to_string(agent.epoch);
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
        auto asked = said.registration();
        return said.is_wrong() ? std::string{wrong}
                               : leased(held->enter(owner, std::move(asked), now));
    }
    if (said.verb() == "heartbeat") {
        const auto owner = said.number("owner");
        const auto name = said.hex_text("name");
        return said.is_wrong() ? std::string{wrong} : leased(held->renew(owner, name, now));
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
        const auto asked = said.query();
        return said.is_wrong() ? std::string{wrong} : discovered(held->find(asked, now));
    }
    if (said.verb() == "timeout" && !said.is_wrong()) {
        const auto at = held->next_timeout();
        return "directory\tresult=ok\ttimeout=" + (at ? std::to_string(*at) : "-") + "\tlines=0";
    }
    return std::string{wrong};
}

}  // namespace runner
