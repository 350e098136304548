/* Streams on both sides: credit, order, ends. */
#include "host.h"

static const mxp_bytes none = {NULL, 0};

/* Both ends of a stream: here with the tag of its opening, there with the label. */
struct ends {
  uint64_t here, there;
};

static struct ends open_stream(mxp_core *core, uint64_t client, uint64_t tag, const mxp_request_options *options) {
  struct ends ends;
  CODE(mxp_open(core, client, talk, bytes("open"), options, tag), MXP_OK);
  ends.here = succeeded(core, tag);
  mxp_done opened = await_done(core, MXP_KIND_STREAM, LABEL);
  CHECK(is_value(&opened, "open") && opened.method == TALK && opened.more != NULL);
  ends.there = opened.id;
  mxp_release(opened.owner);
  CHECK(ends.here != ends.there);
  return ends;
}

/* Awaits a chunk of one side. */
static void received(mxp_core *core, uint64_t tag, uint64_t stream, const char *expected) {
  mxp_done chunk = await_done(core, MXP_KIND_CHUNK, tag);
  CHECK(chunk.id == stream && is_value(&chunk, expected));
  mxp_release(chunk.owner);
}

/* Awaits the end of one side. */
static void over(mxp_core *core, uint64_t tag, uint64_t stream, uint32_t status, const char *name) {
  mxp_done done = await_done(core, MXP_KIND_OVER, tag);
  CHECK(done.id == stream && (status == 0 ? done.status == 0 && done.more == NULL : is_failure(&done, status, name)));
  mxp_release(done.owner);
  CODE(mxp_send(core, stream, none, 0), MXP_UNKNOWN_ID);
}

static void ended(mxp_core *core, uint64_t tag, uint64_t stream) {
  mxp_done done = await_done(core, MXP_KIND_END, tag);
  CHECK(done.id == stream && done.owner == NULL);
}

static void talk_both_ways(mxp_core *core, uint64_t client) {
  struct ends ends = open_stream(core, client, 2, NULL);
  CODE(mxp_send(core, ends.here, bytes("a"), 0), MXP_OK);
  CODE(mxp_send(core, ends.here, none, 0), MXP_OK);
  received(core, LABEL, ends.there, "a");
  received(core, LABEL, ends.there, "");
  CODE(mxp_send(core, ends.there, bytes("b"), 0), MXP_OK);
  received(core, 2, ends.here, "b");
  CODE(mxp_send(core, ends.here, bytes("c"), MXP_SEND_LAST), MXP_OK);
  received(core, LABEL, ends.there, "c");
  ended(core, LABEL, ends.there);
  CHECK(is_quiet(core)); /* the other direction goes on */
  CODE(mxp_send(core, ends.there, bytes("d"), 0), MXP_OK);
  CODE(mxp_end(core, ends.there), MXP_OK);
  over(core, LABEL, ends.there, 0, "");
  received(core, 2, ends.here, "d");
  ended(core, 2, ends.here);
  over(core, 2, ends.here, 0, "");
}

/* A stream that is read alone, and one that ends before it begins. */
static void open_ended(mxp_core *core, uint64_t client) {
  mxp_request_options options = {.size = sizeof options, .flags = MXP_REQUEST_END};
  struct ends ends = open_stream(core, client, 2, &options);
  CODE(mxp_send(core, ends.here, none, 0), MXP_BAD_STATE);
  ended(core, LABEL, ends.there);
  CODE(mxp_send(core, ends.there, bytes("only"), MXP_SEND_LAST), MXP_OK);
  received(core, 2, ends.here, "only");
  ended(core, 2, ends.here);
  over(core, 2, ends.here, 0, "");
  over(core, LABEL, ends.there, 0, "");
}

static void break_streams(mxp_core *core, uint64_t client) {
  struct ends ends = open_stream(core, client, 2, NULL);
  CODE(mxp_reset(core, ends.here), MXP_OK);
  over(core, 2, ends.here, 1, "cancelled");
  over(core, LABEL, ends.there, 1, "cancelled");
  ends = open_stream(core, client, 3, NULL);
  mxp_failure failure = {.size = sizeof failure, .status = 9, .acted = 1, .name = TEXT("too_loud"), .text = TEXT("text")};
  CODE(mxp_fail(core, ends.there, &failure), MXP_OK);
  over(core, LABEL, ends.there, 9, "too_loud");
  over(core, 3, ends.here, 9, "too_loud");
  ends = open_stream(core, client, 4, NULL);
  CODE(mxp_reset(core, ends.there), MXP_OK);
  over(core, LABEL, ends.there, 1, "cancelled");
  over(core, 4, ends.here, 1, "cancelled");
  mxp_request_options late = {.size = sizeof late, .timeout_us = 50000};
  ends = open_stream(core, client, 5, &late);
  over(core, 5, ends.here, 4, "deadline_exceeded");
  mxp_release(await_done(core, MXP_KIND_OVER, LABEL).owner);
  mxp_method other = *talk;
  other.number = 999;
  CODE(mxp_open(core, client, &other, none, NULL, 6), MXP_OK);
  mxp_done done = await_done(core, MXP_KIND_TAG, 6);
  if (done.status == 0) { /* it is opened before the server has looked at it */
    mxp_done end = await_done(core, MXP_KIND_OVER, 6);
    CHECK(end.id == done.id && is_failure(&end, 12, "method_unknown"));
    mxp_release(end.owner);
  } else {
    CHECK(is_failure(&done, 12, "method_unknown"));
  }
  mxp_release(done.owner);
  /* The opening of a stream is cancelled as a call is. */
  uint64_t lonely = client_of_test(core, NOBODY, NULL);
  CODE(mxp_open(core, lonely, talk, none, NULL, 7), MXP_OK);
  CODE(mxp_cancel(core, 7), MXP_OK);
  failed(core, 7, 1, "cancelled");
  CODE(mxp_client_close(core, lonely, 8), MXP_OK);
  succeeded(core, 8);
}

/* A client that closes waits for its streams; where that is cancelled, they end. */
static void close_clients(mxp_core *core, const char *address) {
  uint64_t client = client_of_test(core, address, NULL), other = client_of_test(core, address, NULL);
  struct ends ends = open_stream(core, client, 2, NULL), rest = open_stream(core, other, 3, NULL);
  CODE(mxp_client_close(core, client, 4), MXP_OK);
  CHECK(is_quiet(core));
  CODE(mxp_send(core, ends.here, bytes("still"), 0), MXP_OK);
  received(core, LABEL, ends.there, "still");
  CODE(mxp_cancel(core, 4), MXP_OK);
  failed(core, 4, 1, "cancelled");
  over(core, 2, ends.here, 1, "cancelled");
  over(core, LABEL, ends.there, 1, "cancelled");
  CHECK(is_quiet(core)); /* those of other clients go on */
  CODE(mxp_client_close(core, other, 4), MXP_OK);
  CODE(mxp_send(core, rest.here, bytes("last"), MXP_SEND_LAST), MXP_OK);
  received(core, LABEL, rest.there, "last");
  ended(core, LABEL, rest.there);
  CODE(mxp_end(core, rest.there), MXP_OK);
  over(core, LABEL, rest.there, 0, "");
  ended(core, 3, rest.here);
  over(core, 3, rest.here, 0, "");
  succeeded(core, 4);
}

/* A chunk that the receiver's window never lets through ends the stream. */
static void send_too_much(mxp_core *core, uint64_t client) {
  enum { LARGE = 3 << 20 };
  uint8_t *large = calloc(LARGE, 1);
  struct ends ends = open_stream(core, client, 2, NULL);
  CODE(mxp_send(core, ends.here, (mxp_bytes){large, LARGE}, 0), MXP_OK);
  mxp_done done = await_done(core, MXP_KIND_OVER, 2);
  CHECK(done.id == ends.here && done.status != 0);
  mxp_release(done.owner);
  mxp_release(await_done(core, MXP_KIND_OVER, LABEL).owner);
  free(large);
}

/* Sends as long as there is room, and returns how many chunks that were. */
static uint64_t fill(mxp_core *core, uint64_t stream, uint64_t *next, uint64_t most, size_t size) {
  static uint8_t chunk[1 << 16];
  uint64_t before = *next;
  while (*next < most) {
    memcpy(chunk, next, sizeof *next);
    int32_t code = mxp_send(core, stream, (mxp_bytes){chunk, size}, 0);
    if (code != MXP_OK) {
      CODE(code, MXP_WOULD_BLOCK);
      break;
    }
    ++*next;
  }
  return *next - before;
}

/* A reader that takes nothing stops the sender, whose chunks all come in the end. */
static void wait_for_credit(mxp_core *sender, uint64_t client, mxp_core *receiver, size_t size, uint64_t most) {
  CODE(mxp_open(sender, client, talk, none, NULL, 2), MXP_OK);
  uint64_t here = succeeded(sender, 2);
  mxp_done opened = await_done(receiver, MXP_KIND_STREAM, LABEL);
  uint64_t there = opened.id, next = 0;
  mxp_release(opened.owner);
  for (int64_t quiet = now_us() + 300000; now_us() < quiet;) {
    if (fill(sender, here, &next, most, size) > 0) {
      quiet = now_us() + 300000;
    }
    mxp_done credit;
    if (mxp_take(sender, &credit, 1, 100000) == 1) {
      CHECK(credit.kind == MXP_KIND_CREDIT && credit.id == here && credit.tag == 2);
    }
  }
  printf("%" PRIu64 " chunks of %zu bytes went without a reader\n", next, size);
  CHECK(next < most); /* what a reader does not take is bounded */
  CHECK(next * size < 16 << 20);
  uint64_t expected = 0;
  int has_ended = 0;
  while (expected < most) {
    mxp_done done;
    while (mxp_take(sender, &done, 1, 0) == 1) {
      CHECK(done.kind == MXP_KIND_CREDIT);
      fill(sender, here, &next, most, size);
    }
    if (next == most && !has_ended) {
      CODE(mxp_end(sender, here), MXP_OK);
      has_ended = 1;
    }
    if (mxp_take(receiver, &done, 1, 10000) == 0) {
      continue;
    }
    CHECK(done.kind == MXP_KIND_CHUNK && done.id == there && done.value.length == size);
    CHECK(memcmp(done.value.data, &expected, sizeof expected) == 0);
    expected++;
    mxp_release(done.owner);
  }
  if (!has_ended) {
    CODE(mxp_end(sender, here), MXP_OK);
  }
  ended(receiver, LABEL, there);
  CODE(mxp_end(receiver, there), MXP_OK);
  over(receiver, LABEL, there, 0, "");
  while (kept_count > 0) {
    mxp_release(kept[--kept_count].owner);
  }
  ended(sender, 2, here);
  over(sender, 2, here, 0, "");
}

/* The end of a server's core ends the streams of both sides, each once. */
static void close_streams(void) {
  char address[256], bound[256];
  local_address(address, sizeof address, "gone");
  mxp_core *server = core_of_test(), *core = core_of_test();
  server_of_test(server, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL), streams[10];
  for (uint64_t i = 0; i < 10; i++) {
    CODE(mxp_open(core, client, talk, none, NULL, 100 + i), MXP_OK);
    streams[i] = succeeded(core, 100 + i);
    mxp_done opened = await_done(server, MXP_KIND_STREAM, LABEL);
    CODE(mxp_send(server, opened.id, bytes("x"), 0), MXP_OK);
    mxp_release(opened.owner);
    mxp_release(await_done(core, MXP_KIND_CHUNK, 100 + i).owner);
  }
  CODE(mxp_core_close(server, 0, 99), MXP_OK);
  for (int i = 0; i < 10; i++) {
    mxp_done done = await_done(server, MXP_KIND_OVER, LABEL);
    CHECK(is_failure(&done, 14, "core_closed"));
    mxp_release(done.owner);
  }
  mxp_done last = await_done(server, MXP_KIND_TAG, 99);
  CHECK(kept_count == 0);
  mxp_release(last.owner);
  for (uint64_t i = 0; i < 10; i++) {
    mxp_done done = await_done(core, MXP_KIND_OVER, 100 + i);
    CHECK(done.id == streams[i] && done.status == 14);
    mxp_release(done.owner);
  }
  close_of_test(core);
}

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  char address[256], bound[256];
  local_address(address, sizeof address, "streams");
  mxp_core *core = core_of_test(), *sender = core_of_test();
  server_of_test(core, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL);
  talk_both_ways(core, client);
  open_ended(core, client);
  break_streams(core, client);
  send_too_much(core, client);
  close_clients(core, bound);
  CHECK(is_quiet(core));
  uint64_t other = client_of_test(sender, bound, NULL);
  wait_for_credit(sender, other, core, 16, 200000);
  wait_for_credit(sender, other, core, 1000, 30000);
  wait_for_credit(sender, other, core, 60000, 1000);
  close_of_test(sender);
  close_of_test(core);
  close_streams();
  printf("%u checks\n", checks);
  return 0;
}
