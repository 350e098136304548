// Public headers of a program that has included <windows.h> before them, with all of its macros.
#if !defined(WIN32_LEAN_AND_MEAN)
// Asio wants it before <windows.h>.
#include <winsock2.h>
#endif
#include <windows.h>

#if !(defined(near) && defined(far) && defined(IN) && defined(DELETE))
#error "the macros are not there that this is a test for"
#endif
#if !defined(WIN32_LEAN_AND_MEAN) && !(defined(interface) && defined(ERROR))
#error "the macros are not there that this is a test for"
#endif

#include "mxp/agents.hpp"
#include "mxp/events.hpp"
#include "mxp/mxp.hpp"
#include "mxp/net.hpp"
#include "mxp/net/channel.hpp"
#include "mxp/net/foreign_loop.hpp"
#include "mxp/net/health.hpp"
#include "mxp/net/mxp_mesh_service.hpp"
#include "mxp/net/peer_user.hpp"
#include "mxp/net/reflection.hpp"
#include "mxp/net/telemetry.hpp"
#include "mxp/net/transport.hpp"
#include "mxp/net/transport/shm.hpp"
#include "mxp/net/transport/unix.hpp"
#include "mxp/net/websocket.hpp"
#include "mxp/session.hpp"
#include "sdp/sdp.hpp"
