/// MXP: frames, how they are written and read.
#ifndef MXP_MXP_HPP
#define MXP_MXP_HPP

#include "decode.hpp"
#include "encode.hpp"
#include "error.hpp"
#include "frame.hpp"
#include "reader.hpp"
#include "result.hpp"

#endif  // MXP_MXP_HPP
