/// What only the newer release has: here, nothing.
#ifndef SERVICES_MARK_HPP
#define SERVICES_MARK_HPP

#include <string>
#include <utility>
#include <vector>

#include "gen/ledger_service.hpp"

namespace services {

/// Sets the mark.
inline ledger::Entry marked(ledger::Entry entry) { return entry; }

/// Gives the mark.
inline std::string mark_of(const ledger::Entry& /*entry*/) { return "-"; }

/// What marks can be.
inline std::vector<std::string> marks() { return {"-"}; }

}  // namespace services

#endif  // SERVICES_MARK_HPP
