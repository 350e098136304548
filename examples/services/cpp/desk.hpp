/// Declarations that the parts of the program share.
#ifndef SERVICES_DESK_HPP
#define SERVICES_DESK_HPP

#include <functional>
#include <string>

namespace desk {

/// Serves a desk until the program is told to end, by a signal or by the function that `started`
/// is given, which any thread may call. The result is the program's.
int serve(const std::string& address,
          const std::function<void(std::function<void()>)>& started = {});

/// Asks a desk for everything. The result is the program's.
int call(const std::string& address);

}  // namespace desk

#endif  // SERVICES_DESK_HPP
