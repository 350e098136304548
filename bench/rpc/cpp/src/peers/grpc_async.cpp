// gRPC for C++, by completion queues: one thread takes what is done from a queue, and does the
// sockets' work in it.
#include <grpcpp/grpcpp.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../calls.hpp"
#include "../peers.hpp"
#include "echo.grpc.pb.h"

namespace rpcbench::grpc_async {

namespace {

using grpc_peer::Count;
using grpc_peer::Data;
using grpc_peer::Echo;

/// HTTP/2's window, larger than some of the largest messages.
constexpr int stream_bytes = 4 << 20;

/// Something that a queue says is done.
class tag {
   public:
    tag() = default;
    tag(const tag&) = delete;
    tag& operator=(const tag&) = delete;
    virtual ~tag() = default;
    virtual void done(bool is_good) = 0;
};

/// A tag that is a function.
template <class Function>
class tag_of final : public tag {
   public:
    explicit tag_of(Function then) : then_(std::move(then)) {}
    void done(bool is_good) override { then_(is_good); }

   private:
    Function then_;
};

/// Messages may wait for others with which they are written, until as many bytes are there as gRPC
/// writes at once, or the direction ends.
[[nodiscard]] grpc::WriteOptions together() {
    grpc::WriteOptions made;
    made.set_buffer_hint();
    return made;
}

struct serving {
    Echo::AsyncService service;
    std::unique_ptr<grpc::ServerCompletionQueue> queue;
};

/// One call, which takes the place of the next before it answers.
class unary final : public tag {
   public:
    explicit unary(serving& of) : of_(of) {
        of_.service.RequestCall(&context_, &data_, &writer_, of_.queue.get(), of_.queue.get(),
                                this);
    }
    void done(bool is_good) override {
        if (!is_good || std::exchange(has_begun_, true)) {
            delete this;
            return;
        }
        new unary{of_};
        writer_.Finish(data_, grpc::Status::OK, this);
    }

   private:
    serving& of_;
    grpc::ServerContext context_;
    Data data_;
    grpc::ServerAsyncResponseWriter<Data> writer_{&context_};
    bool has_begun_ = false;
};

/// A stream to the server.
class counting final : public tag {
   public:
    explicit counting(serving& of) : of_(of) {
        of_.service.RequestUp(&context_, &reader_, of_.queue.get(), of_.queue.get(), this);
    }
    void done(bool is_good) override {
        switch (at_) {
        case step::begin:
            if (!is_good) {
                delete this;
                return;
            }
            new counting{of_};
            at_ = step::read;
            reader_.Read(&data_, this);
            return;
        case step::read:
            if (is_good) {
                count_.set_messages(count_.messages() + 1);
                reader_.Read(&data_, this);
                return;
            }
            at_ = step::end;
            reader_.Finish(count_, grpc::Status::OK, this);
            return;
        case step::end:
            delete this;
        }
    }

   private:
    enum class step { begin, read, end };

    serving& of_;
    grpc::ServerContext context_;
    grpc::ServerAsyncReader<Count, Data> reader_{&context_};
    Data data_;
    Count count_;
    step at_ = step::begin;
};

/// A stream whose messages are given back. Messages that have come meanwhile wait for the message
/// that is being written, at most so many of them.
class giving_back final : public tag {
   public:
    explicit giving_back(serving& of) : of_(of) {
        of_.service.RequestBoth(&context_, &both_, of_.queue.get(), of_.queue.get(), this);
    }
    void done(bool is_good) override {
        if (is_over_ || (!has_begun_ && !is_good)) {
            delete this;
            return;
        }
        has_begun_ = true;
        new giving_back{of_};
        read();
    }

   private:
    static constexpr std::size_t waiting_most = 256;

    void read() {
        is_reading_ = true;
        both_.Read(&data_, &on_read_);
    }
    void came(bool is_good) {
        is_reading_ = false;
        if (is_good) {
            waiting_.push_back(std::move(data_));
            data_.Clear();
        } else {
            has_ended_ = true;
        }
        go_on();
    }
    void wrote() {
        is_writing_ = false;
        waiting_.pop_front();
        go_on();
    }
    void go_on() {
        if (!is_reading_ && !has_ended_ && waiting_.size() < waiting_most) {
            read();
        }
        if (!is_writing_ && !waiting_.empty()) {
            is_writing_ = true;
            // The first message takes the head of the answer with it, which waits for no others.
            both_.Write(waiting_.front(),
                        std::exchange(has_written_, true) ? together() : grpc::WriteOptions{},
                        &on_written_);
        }
        if (has_ended_ && waiting_.empty() && !is_over_) {
            is_over_ = true;
            both_.Finish(grpc::Status::OK, this);
        }
    }

    struct reading final : tag {
        giving_back* of;
        explicit reading(giving_back* whose) : of(whose) {}
        void done(bool is_good) override { of->came(is_good); }
    };
    struct writing final : tag {
        giving_back* of;
        explicit writing(giving_back* whose) : of(whose) {}
        void done(bool /*is_good*/) override { of->wrote(); }
    };

    serving& of_;
    grpc::ServerContext context_;
    grpc::ServerAsyncReaderWriter<Data, Data> both_{&context_};
    Data data_;
    std::deque<Data> waiting_;
    reading on_read_{this};
    writing on_written_{this};
    bool has_begun_ = false;
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool has_written_ = false;
    bool has_ended_ = false;
    bool is_over_ = false;
};

/// Does what a queue says until it is stopped, or has ended.
struct queue_loop {
    grpc::CompletionQueue& queue;
    bool has_stopped = false;

    void run() {
        void* what = nullptr;
        bool is_good = false;
        while (!std::exchange(has_stopped, false) && queue.Next(&what, &is_good)) {
            static_cast<tag*>(what)->done(is_good);
        }
    }
    void stop() { has_stopped = true; }
};

/// As gRPC writes it.
[[nodiscard]] std::string target(const address& at) { return at.is_unix() ? at.text() : at.place; }

}  // namespace

void serve(const address& at) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, stream_bytes);
    builder.AddListeningPort(target(at), grpc::InsecureServerCredentials(), &port);
    serving all;
    builder.RegisterService(&all.service);
    all.queue = builder.AddCompletionQueue();
    const auto server = builder.BuildAndStart();
    if (server == nullptr) {
        throw flaw{"gRPC does not listen at " + at.text()};
    }
    ready(at.is_unix() ? at : address{"tcp:127.0.0.1:" + std::to_string(port)});
    new unary{all};
    new counting{all};
    new giving_back{all};
    queue_loop{*all.queue}.run();
}

namespace {

void check(const grpc::Status& how) {
    if (!how.ok()) {
        throw flaw{"gRPC: " + how.error_message()};
    }
}

[[nodiscard]] Data data_of(const payload& what) {
    Data made;
    made.set_data(what.bytes.data(), what.bytes.size());
    return made;
}

struct client {
    std::unique_ptr<Echo::Stub> stub;
    std::shared_ptr<grpc::CompletionQueue> queue;

    client(const address& at, std::shared_ptr<grpc::CompletionQueue> with)
        : queue(std::move(with)) {
        grpc::ChannelArguments how;
        how.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, stream_bytes);
        // Channels to one address would share a connection.
        how.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
        stub = Echo::NewStub(
            grpc::CreateCustomChannel(target(at), grpc::InsecureChannelCredentials(), how));
    }
};

/// One call, until it is answered.
template <class Done>
class asked final : public tag {
   public:
    asked(client& by, const payload& what, Done then) : then_(std::move(then)) {
        const Data data = data_of(what);
        reader_ = by.stub->AsyncCall(&context_, data, by.queue.get());
        reader_->Finish(&reply_, &how_, this);
    }
    void done(bool /*is_good*/) override {
        const std::unique_ptr<asked> ends{this};
        check(how_);
        then_(reply_.data().data(), reply_.data().size());
    }

   private:
    Done then_;
    grpc::ClientContext context_;
    Data reply_;
    grpc::Status how_;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Data>> reader_;
};

struct caller {
    std::shared_ptr<client> by;

    template <class Done>
    void call(const payload& what, Done done) {
        new asked<Done>{*by, what, done};
    }
};

/// Messages of a stream that are written one after the other until it is time.
template <class Writer>
class writing final : public tag {
   public:
    writing(const payload& what, until goes_on) : each_(data_of(what)), until_(goes_on) {}
    void begin(Writer& to) {
        to_ = &to;
        next();
    }
    void done(bool is_good) override {
        if (!is_good) {
            throw flaw{"gRPC takes no more messages"};
        }
        if (!has_finished_) {
            next();
        }
    }
    [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

   private:
    void next() {
        if (until_.more()) {
            ++sent_;
            to_->Write(each_, together(), this);
        } else {
            has_finished_ = true;
            to_->WritesDone(this);
        }
    }

    Data each_;
    until until_;
    Writer* to_ = nullptr;
    std::uint64_t sent_ = 0;
    bool has_finished_ = false;
};

[[nodiscard]] std::uint64_t up(client& by, const payload& what, until goes_on) {
    using writer = grpc::ClientAsyncWriter<Data>;
    queue_loop loop{*by.queue};
    grpc::ClientContext context;
    Count count;
    grpc::Status how;
    writing<writer> work{what, goes_on};
    std::unique_ptr<writer> stream;
    tag_of begun{[&](bool) { work.begin(*stream); }};
    tag_of ended{[&](bool) { loop.stop(); }};
    stream = by.stub->AsyncUp(&context, &count, by.queue.get(), &begun);
    stream->Finish(&how, &ended);
    loop.run();
    check(how);
    compare(work.sent(), count.messages());
    return count.messages();
}

[[nodiscard]] std::uint64_t both(client& by, const payload& what, until goes_on) {
    using both_ways = grpc::ClientAsyncReaderWriter<Data, Data>;
    queue_loop loop{*by.queue};
    grpc::ClientContext context;
    grpc::Status how;
    Data reply;
    std::uint64_t came = 0;
    writing<both_ways> work{what, goes_on};
    std::unique_ptr<both_ways> stream;
    tag_of ended{[&](bool) { loop.stop(); }};
    struct reading final : tag {
        std::function<void(bool)> then;
        void done(bool is_good) override { then(is_good); }
    } read;
    read.then = [&](bool is_good) {
        if (!is_good) {
            stream->Finish(&how, &ended);
            return;
        }
        what.look(reply.data().data(), reply.data().size());
        ++came;
        stream->Read(&reply, &read);
    };
    tag_of begun{[&](bool) {
        work.begin(*stream);
        stream->Read(&reply, &read);
    }};
    stream = by.stub->AsyncBoth(&context, by.queue.get(), &begun);
    loop.run();
    check(how);
    compare(work.sent(), came);
    return 2 * came;
}

}  // namespace

record call(const address& at, const plan& of) {
    const auto queue = std::make_shared<grpc::CompletionQueue>();
    if (of.what == kind::call) {
        queue_loop loop{*queue};
        std::vector<caller> callers;
        for (std::size_t i = 0; i < of.connections; ++i) {
            callers.resize(callers.size() + of.in_flight,
                           caller{std::make_shared<client>(at, queue)});
        }
        return run_calls(of, callers, loop);
    }
    if (of.what == kind::event) {
        no_such_kind(of);
    }
    client by{at, queue};
    const auto flow = of.what == kind::up ? up : both;
    return run_flow(of,
                    [&](const payload& what, until goes_on) { return flow(by, what, goes_on); });
}

}  // namespace rpcbench::grpc_async
