/// The mark of the newer release, which the older one does not have.
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

/// The marks that can be.
inline std::vector<std::string> marks() { return {"-"}; }

}  // namespace services

#endif  // SERVICES_MARK_HPP
