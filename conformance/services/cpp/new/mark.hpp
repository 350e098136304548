/// The mark of the newer release: a note.
#ifndef SERVICES_MARK_HPP
#define SERVICES_MARK_HPP

#include <string>
#include <utility>
#include <vector>

#include "gen/ledger_service.hpp"

namespace services {

/// Sets the mark.
inline ledger::Entry marked(ledger::Entry entry) {
    entry.note = "seven";
    return entry;
}

/// Gives the mark.
inline std::string mark_of(const ledger::Entry& entry) { return entry.note; }

/// The marks that can be: what was set, or the default, if the server is of the older release.
inline std::vector<std::string> marks() { return {"seven", "none"}; }

}  // namespace services

#endif  // SERVICES_MARK_HPP
