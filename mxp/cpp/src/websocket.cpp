// The library mxp::websocket.
#include "mxp/net/transport/websocket/transport.hpp"
