/// The requests that wait in line, and their bytes.
#ifndef MXP_NET_LINE_HPP
#define MXP_NET_LINE_HPP

#include <cstddef>
#include <list>
#include <memory>
#include <utility>

namespace mxp::net::detail {

/// Requests in their order. While one is in line, its `body` keeps its length.
template <class Waiting>
class line {
   public:
    using list = std::list<std::shared_ptr<Waiting>>;
    using iterator = typename list::iterator;

    void push_back(std::shared_ptr<Waiting> one) {
        bytes_ += cost(*one);
        all_.push_back(std::move(one));
    }
    iterator erase(iterator at) {
        bytes_ -= cost(**at);
        return all_.erase(at);
    }
    /// Empties it.
    [[nodiscard]] list take_all() noexcept {
        bytes_ = 0;
        return std::exchange(all_, {});
    }

    [[nodiscard]] iterator begin() noexcept { return all_.begin(); }
    [[nodiscard]] iterator end() noexcept { return all_.end(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// The bytes that a request counts: its value's, and those that are kept beside that.
    [[nodiscard]] static std::size_t cost(const Waiting& of) { return of.body.size() + 512; }

   private:
    list all_;
    std::size_t bytes_ = 0;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_LINE_HPP
