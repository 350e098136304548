/// Shapes of varying size. Each reads a value of any form out of a cursor, or only notes where it
/// lies (`place`); writes it; and measures it. `least` is the smallest size [WIRE-13.1].
#ifndef SDP_SHAPES_HPP
#define SDP_SHAPES_HPP

#include "shape.hpp"
#include "shapes_fixed.hpp"
#include "shapes_list.hpp"
#include "shapes_map.hpp"
#include "shapes_record.hpp"
#include "shapes_text.hpp"

#endif  // SDP_SHAPES_HPP
