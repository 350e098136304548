// Handles.
#include "sharing.hpp"
