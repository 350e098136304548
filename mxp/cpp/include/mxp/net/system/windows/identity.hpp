/// The names of users and programs of Windows.
#ifndef MXP_NET_SYSTEM_WINDOWS_IDENTITY_HPP
#define MXP_NET_SYSTEM_WINDOWS_IDENTITY_HPP

#include <cstdint>
#include <string>

namespace mxp::net {

/// A security identifier as a text: `S-1-5-18`.
using user_id = std::string;
using group_id = std::string;
using process_id = std::uint32_t;

}  // namespace mxp::net

#endif  // MXP_NET_SYSTEM_WINDOWS_IDENTITY_HPP
