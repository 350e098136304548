// The library mxp::net.
#include "mxp/net/compiled.hpp"
