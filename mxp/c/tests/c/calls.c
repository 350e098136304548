/* Calls and events: their values, their ends and their order. */
#include "host.h"

#include <pthread.h>

static const mxp_bytes none = {NULL, 0};

/* Answers the next call with its value, and releases it. */
static void answer(mxp_core *core) {
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_respond(core, request.id, request.value, NULL), MXP_OK);
  mxp_release(request.owner);
}

/* A call there and back, at an address. */
static void call_at(mxp_core *core, const char *address, const mxp_tls_options *of_server, const mxp_tls_options *of_client) {
  char bound[256];
  uint64_t server = server_of_test(core, address, bound, of_server);
  CHECK(strstr(bound, ":0") == NULL);
  char *host = strstr(bound, "127.0.0.1");
  if (of_client != NULL && host != NULL) { /* the name of the certificate, which is shorter or as long */
    memmove(host, "localhost", 9);
  }
  uint64_t client = client_of_test(core, bound, of_client);
  mxp_request_options options = {.size = sizeof options, .timeout_us = 15000000};
  CODE(mxp_call(core, client, say, bytes("hello"), &options, 2), MXP_OK);
  answer(core);
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(done.status == 0 && is_value(&done, "hello"));
  mxp_release(done.owner);
  CODE(mxp_client_close(core, client, 3), MXP_OK);
  succeeded(core, 3);
  CODE(mxp_drain(core, server, mxp_text_of("done"), 4), MXP_OK);
  succeeded(core, 4);
}

static void call_by_tls(mxp_core *core) {
  char paths[5][512];
  const char *names[] = {"authority.pem", "server.pem", "server.key", "mixer.pem", "mixer.key"};
  for (int i = 0; i < 5; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/%s", certificates, names[i]);
  }
  mxp_tls_options of_server = {.size = sizeof of_server,
                               .authority = mxp_text_of(paths[0]),
                               .certificate = mxp_text_of(paths[1]),
                               .key = mxp_text_of(paths[2])};
  mxp_tls_options of_client = {.size = sizeof of_client,
                               .authority = mxp_text_of(paths[0]),
                               .certificate = mxp_text_of(paths[3]),
                               .key = mxp_text_of(paths[4])};
  call_at(core, "mxp+tls://127.0.0.1:0", &of_server, &of_client);
  /* A client without a certificate is refused. */
  char bound[256];
  uint64_t server = server_of_test(core, "mxp+tls://localhost:0", bound, &of_server);
  memmove(strstr(bound, "127.0.0.1"), "localhost", 9);
  of_client.certificate = of_client.key = (mxp_text){NULL, 0};
  uint64_t client = client_of_test(core, bound, &of_client);
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(done.status != 0 && done.more->acted == 0);
  mxp_release(done.owner);
  CODE(mxp_client_close(core, client, 3), MXP_OK);
  succeeded(core, 3);
  CODE(mxp_drain(core, server, mxp_text_of(""), 4), MXP_OK);
  succeeded(core, 4);
}

static void carry_metadata(mxp_core *core, uint64_t client) {
  mxp_pair items[] = {{TEXT("key"), {(const uint8_t *)"sesame", 6}}, {TEXT("none"), {NULL, 0}}};
  mxp_pairs pairs = {items, 2};
  mxp_request_options options = {.size = sizeof options,
                                 .flags = MXP_REQUEST_TRACE,
                                 .timeout_us = 9000000,
                                 .metadata = &pairs,
                                 .trace_id = {1, 2, 3},
                                 .trace_parent = 77,
                                 .trace_flags = 1};
  CODE(mxp_call(core, client, say, none, &options, 2), MXP_OK);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  const mxp_more *more = request.more;
  CHECK(request.service == 0 && request.method == SAY && request.value.length == 0 && more->size == sizeof *more);
  CHECK(more->metadata.count == 2 && is_text(more->metadata.items[0].key, "key") && more->metadata.items[0].value.length == 6);
  CHECK(memcmp(more->metadata.items[0].value.data, "sesame", 6) == 0 && more->metadata.items[1].value.length == 0);
  CHECK(more->has_trace == 1 && more->trace_id[2] == 3 && more->trace_parent == 77 && more->trace_flags == 1);
  CHECK(more->timeout_us > 0 && more->timeout_us <= 9000000);
  CODE(mxp_respond(core, request.id, bytes("reply"), &pairs), MXP_OK);
  mxp_release(request.owner);
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(done.status == 0 && is_value(&done, "reply") && done.more->metadata.count == 2 && done.more->timeout_us == -1);
  CHECK(is_text(done.more->metadata.items[0].key, "key"));
  mxp_release(done.owner);
}

static void end_in_failures(mxp_core *core, uint64_t client) {
  mxp_failure failure = {.size = sizeof failure, .status = 9, .acted = 1, .name = TEXT("too_loud"), .text = TEXT("the gain is 20 dB")};
  failure.details = bytes("details");
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_fail(core, request.id, &failure), MXP_OK);
  mxp_release(request.owner);
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(is_failure(&done, 9, "too_loud") && done.more->acted == 1 && is_text(done.more->text, "the gain is 20 dB"));
  CHECK(done.more->details.length == 7 && memcmp(done.more->details.data, "details", 7) == 0 && done.value.length == 0);
  mxp_release(done.owner);
  mxp_method other = *say;
  other.number = 999;
  CODE(mxp_call(core, client, &other, none, NULL, 2), MXP_OK);
  failed(core, 2, 12, "method_unknown");
  /* A deadline, of which the server's side hears, too. */
  mxp_request_options options = {.size = sizeof options, .timeout_us = 30000};
  CODE(mxp_call(core, client, say, none, &options, 2), MXP_OK);
  request = await_done(core, MXP_KIND_CALL, LABEL);
  failed(core, 2, 4, "deadline_exceeded");
  mxp_done gone = await_done(core, MXP_KIND_GONE, LABEL);
  CHECK(gone.id == request.id);
  CODE(mxp_respond(core, request.id, none, NULL), MXP_UNKNOWN_ID);
  mxp_release(request.owner);
}

/* A server that tells of unknown methods: by their service and number, with metadata, and without the value. At most 1,024 wait. */
static void tell_of_unknown(mxp_core *core) {
  char address[256];
  local_address(address, sizeof address, "unknown");
  mxp_server_options options = {.size = sizeof options, .flags = MXP_SERVER_UNKNOWN, .label = 77};
  mxp_service both[] = {{TEXT("test.Other"), NULL, 0}, desk};
  uint64_t server = mxp_server_new(core, both, 2, &options, NULL);
  CODE(mxp_listen(core, server, mxp_text_of(address), 1), MXP_OK);
  succeeded(core, 1);
  mxp_core *caller = core_of_test();
  uint64_t client = client_of_test(caller, address, NULL);
  mxp_method other = *say, streams = *talk;
  other.number = streams.number = 999;
  mxp_pair pair = {TEXT("key"), bytes("value")};
  mxp_pairs pairs = {&pair, 1};
  mxp_request_options request = {
      .size = sizeof request, .metadata = &pairs, .flags = MXP_REQUEST_TRACE, .trace_id = {9}, .trace_parent = 5, .trace_flags = 1};
  CODE(mxp_call(caller, client, &other, bytes("long"), &request, 2), MXP_OK);
  mxp_done unknown = await_done(core, MXP_KIND_UNKNOWN, 77);
  CHECK(unknown.id == 0 && unknown.service == 1 && unknown.method == 999 && unknown.value.length == 0);
  CHECK(unknown.more->metadata.count == 1 && is_text(unknown.more->metadata.items[0].key, "key"));
  CHECK(unknown.more->has_trace == 1 && unknown.more->trace_id[0] == 9 && unknown.more->trace_parent == 5);
  mxp_release(unknown.owner);
  failed(caller, 2, 12, "method_unknown");
  CODE(mxp_open(caller, client, &streams, none, NULL, 2), MXP_OK);
  unknown = await_done(core, MXP_KIND_UNKNOWN, 77);
  CHECK(unknown.method == 999);
  mxp_release(unknown.owner);
  mxp_done opened = await_done(caller, MXP_KIND_TAG, 2); /* it is open before the server has looked at it, or never */
  mxp_release(opened.owner);
  for (int i = 0; i < 2000; i++) {
    CODE(mxp_call(caller, client, &other, none, NULL, 3), MXP_OK);
    failed(caller, 3, 12, "method_unknown");
  }
  mxp_stats stats = {.size = sizeof stats};
  CODE(mxp_core_stats(core, &stats), MXP_OK);
  CHECK(stats.queued == 1024);
  for (int i = 0; i < 1024; i++) {
    mxp_release(await_done(core, MXP_KIND_UNKNOWN, 77).owner);
  }
  close_of_test(caller);
  CODE(mxp_drain(core, server, mxp_text_of(""), 3), MXP_OK);
  succeeded(core, 3);
  CHECK(is_quiet(core));
}

static void cancel_calls(mxp_core *core, uint64_t client) {
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_cancel(core, 2), MXP_OK);
  failed(core, 2, 1, "cancelled");
  mxp_done gone = await_done(core, MXP_KIND_GONE, LABEL);
  CHECK(gone.id == request.id);
  mxp_release(request.owner);
  /* A storm: each tag has one completion, whether it was cancelled in time or not. */
  enum { STORM = 2000 };
  static uint8_t ends[STORM];
  memset(ends, 0, sizeof ends);
  size_t all = 0, cancelled = 0, gone_count = 0, requests = 0;
  uint64_t next = 0;
  while (all < STORM) {
    for (int i = 0; i < 20 && next < STORM; i++, next++) {
      CODE(mxp_call(core, client, say, none, NULL, 1000 + next), MXP_OK);
      if (next % 2 == 0) {
        CODE(mxp_cancel(core, 1000 + next), MXP_OK);
      } else if (next % 16 == 5) {
        mxp_cancel(core, 1000 + next - 4); /* its twin before it, which may have ended */
      }
    }
    mxp_done taken[64];
    size_t count = mxp_take(core, taken, 64, 1000000);
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++) {
      mxp_done *done = &taken[i];
      if (done->kind == MXP_KIND_CALL) {
        requests++;
        int32_t code = mxp_respond(core, done->id, none, NULL);
        CHECK(code == MXP_OK || code == MXP_UNKNOWN_ID);
      } else if (done->kind == MXP_KIND_GONE) {
        gone_count++;
      } else {
        CHECK(done->kind == MXP_KIND_TAG && done->tag >= 1000 && done->tag < 1000 + STORM);
        CHECK(ends[done->tag - 1000]++ == 0);
        CHECK(done->status == 0 || is_failure(done, 1, "cancelled"));
        cancelled += done->status != 0;
        all++;
      }
      mxp_release(done->owner);
    }
  }
  CHECK(cancelled >= STORM / 2 - 20 && gone_count <= requests);
  mxp_done done;
  while (mxp_take(core, &done, 1, 100000) == 1) { /* the rest of the server's side */
    CHECK(done.kind == MXP_KIND_GONE || done.kind == MXP_KIND_CALL);
    mxp_release(done.owner);
  }
}

static void tell_events(mxp_core *core, uint64_t client) {
  enum { MANY = 5000 };
  mxp_request_options acked = {.size = sizeof acked, .flags = MXP_REQUEST_ACKED};
  CODE(mxp_event(core, client, note, bytes("first"), NULL, 2), MXP_OK);
  succeeded(core, 2);
  mxp_done event = await_done(core, MXP_KIND_EVENT, LABEL);
  CHECK(is_value(&event, "first") && event.id == 0 && event.method == NOTE);
  mxp_release(event.owner);
  CODE(mxp_event(core, client, note, bytes("second"), &acked, 2), MXP_OK);
  succeeded(core, 2);
  mxp_release(await_done(core, MXP_KIND_EVENT, LABEL).owner);
  /* More than the queue has room for, in order and without a loss. */
  for (uint64_t i = 0; i < MANY; i++) {
    CODE(mxp_event(core, client, note, (mxp_bytes){(const uint8_t *)&i, sizeof i}, NULL, 0), MXP_OK);
  }
  usleep(200000);
  for (uint64_t i = 0; i < MANY; i++) {
    event = await_done(core, MXP_KIND_EVENT, LABEL);
    CHECK(event.value.length == sizeof i && memcmp(event.value.data, &i, sizeof i) == 0);
    mxp_release(event.owner);
  }
  /* Events that the host confirms come one behind the other. */
  CODE(mxp_event(core, client, sure, bytes("a"), &acked, 2), MXP_OK);
  CODE(mxp_event(core, client, sure, bytes("b"), &acked, 3), MXP_OK);
  event = await_done(core, MXP_KIND_EVENT, LABEL);
  CHECK(event.id != 0 && is_value(&event, "a") && is_quiet(core));
  CODE(mxp_respond(core, event.id, none, NULL), MXP_OK);
  mxp_release(event.owner);
  succeeded(core, 2);
  event = await_done(core, MXP_KIND_EVENT, LABEL);
  mxp_failure failure = {.size = sizeof failure, .status = 9, .name = TEXT("not_now")};
  CODE(mxp_fail(core, event.id, &failure), MXP_OK);
  mxp_release(event.owner);
  failed(core, 3, 9, "not_now");
}

static void carry_large_values(mxp_core *core, uint64_t client) {
  enum { LARGE = 4 << 20 };
  uint8_t *large = malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) {
    large[i] = (uint8_t)(i * 7 >> 3);
  }
  CODE(mxp_call(core, client, say, (mxp_bytes){large, LARGE}, NULL, 2), MXP_OK);
  memset(large, 0, LARGE / 2); /* the call has copied it */
  answer(core);
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(done.status == 0 && done.value.length == LARGE);
  for (size_t i = 0; i < LARGE; i++) {
    if (done.value.data[i] != (uint8_t)(i * 7 >> 3)) {
      CHECK(!"the value is another");
    }
  }
  mxp_release(done.owner);
  free(large);
}

/* Schemas that differ are refused, for the methods of the type alone. */
static void compare_schemas(mxp_core *core) {
  static const uint64_t here[] = {1}, there[] = {2};
  mxp_type ours = {TEXT("test.Gain"), here, 1, TEXT("0 struct test.Gain\n x u8\n")};
  mxp_type theirs = {TEXT("test.Gain"), there, 1, TEXT("0 struct test.Gain\n x u32\n")};
  mxp_method served = *say, asked = *say;
  served.request = &ours;
  asked.request = &theirs;
  mxp_service serves = {TEXT("test.Desk"), &served, 1}, asks = {TEXT("test.Desk"), &asked, 1};
  char address[256];
  local_address(address, sizeof address, "schemas");
  uint64_t server = mxp_server_new(core, &serves, 1, NULL, NULL);
  CODE(mxp_listen(core, server, mxp_text_of(address), 2), MXP_OK);
  mxp_release(await_done(core, MXP_KIND_TAG, 2).owner);
  mxp_text text = mxp_text_of(address);
  mxp_client_options options = {
      .size = sizeof options, .addresses = &text, .address_count = 1, .services = &asks, .service_count = 1};
  uint64_t client = mxp_client_new(core, &options, NULL);
  CODE(mxp_call(core, client, &asked, none, NULL, 3), MXP_OK);
  failed(core, 3, 9, "session_schema");
  CODE(mxp_drain(core, server, mxp_text_of(""), 4), MXP_OK);
  succeeded(core, 4);
}

/* The thread of a host's that calls beside others. */
static void *call_often(void *arguments) {
  mxp_core *core = ((void **)arguments)[0];
  uint64_t client = *(uint64_t *)((void **)arguments)[1], first = *(uint64_t *)((void **)arguments)[2];
  for (uint64_t i = 0; i < 500; i++) {
    if (mxp_call(core, client, say, bytes("thread"), NULL, first + i) != MXP_OK) {
      return NULL;
    }
  }
  return arguments;
}

static void call_on_threads(mxp_core *core, uint64_t client) {
  pthread_t threads[4];
  uint64_t firsts[4];
  void *arguments[4][3];
  for (uint64_t i = 0; i < 4; i++) {
    firsts[i] = 10000 + 1000 * i;
    arguments[i][0] = core;
    arguments[i][1] = &client;
    arguments[i][2] = &firsts[i];
    CHECK(pthread_create(&threads[i], NULL, call_often, arguments[i]) == 0);
  }
  for (size_t ended = 0; ended < 2000;) {
    mxp_done done;
    CHECK(mxp_take(core, &done, 1, 10000000) == 1);
    if (done.kind == MXP_KIND_CALL) {
      CODE(mxp_respond(core, done.id, done.value, NULL), MXP_OK);
    } else {
      CHECK(done.kind == MXP_KIND_TAG && done.status == 0 && is_value(&done, "thread"));
      ended++;
    }
    mxp_release(done.owner);
  }
  for (int i = 0; i < 4; i++) {
    void *end = NULL;
    CHECK(pthread_join(threads[i], &end) == 0 && end != NULL);
  }
}

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  mxp_core *core = core_of_test();
  char address[256], bound[256];
  local_address(address, sizeof address, "first");
  call_at(core, address, NULL, NULL);
  call_at(core, "mxp+tcp://127.0.0.1:0", NULL, NULL);
  call_by_tls(core);
  local_address(address, sizeof address, "calls");
  server_of_test(core, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL);
  carry_metadata(core, client);
  end_in_failures(core, client);
  cancel_calls(core, client);
  tell_events(core, client);
  carry_large_values(core, client);
  call_on_threads(core, client);
  compare_schemas(core);
  tell_of_unknown(core);
  CHECK(is_quiet(core));
  close_of_test(core);
  printf("%u checks\n", checks);
  return 0;
}
