/// The exception that functions with the argument `sdp::throws` throw.
#ifndef SDP_EXCEPTION_HPP
#define SDP_EXCEPTION_HPP

#if defined(__cpp_exceptions)

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "error.hpp"

namespace sdp {

/// A refusal that is thrown. Copies share it, so that copying one never throws another.
class exception : public std::exception {
   public:
    explicit exception(sdp::error refusal)
        : refused_(std::make_shared<const content>(std::move(refusal))) {}

    /// The refusal.
    [[nodiscard]] const sdp::error& error() const noexcept { return refused_->refusal; }

    /// The refusal as one line.
    [[nodiscard]] const char* what() const noexcept override { return refused_->text.c_str(); }

   private:
    struct content {
        explicit content(sdp::error flaw) : refusal(std::move(flaw)), text(refusal.message()) {}

        sdp::error refusal;
        std::string text;
    };

    std::shared_ptr<const content> refused_;
};

}  // namespace sdp

#endif

#endif  // SDP_EXCEPTION_HPP
