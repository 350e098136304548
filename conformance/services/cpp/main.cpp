/// Serves ledger.Ledger, and calls it: in another process, in another language.
///
///     services serve mxp+unix:///tmp/ledger.sock
///     services call  mxp+unix:///tmp/ledger.sock

#include <iostream>

#include "program.hpp"

int main(int count, char** words) {
    const std::vector<std::string> all(words + 1, words + count);
    if (all.size() == 2 && all[0] == "serve") {
        return services::serve(all[1]);
    }
    if (all.size() == 2 && all[0] == "call") {
        return services::call(all[1]);
    }
    std::cerr << "usage: services serve ADDRESS | call ADDRESS\n";
    return 2;
}
