/* The ends of servers, clients and cores, and a host that takes nothing. */
#include "host.h"

#include <pthread.h>

static const mxp_bytes none = {NULL, 0};

static void drain_servers(mxp_core *core) {
  char address[256], bound[256];
  local_address(address, sizeof address, "drain");
  uint64_t server = server_of_test(core, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL);
  CODE(mxp_call(core, client, say, bytes("slow"), NULL, 2), MXP_OK);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_drain(core, server, mxp_text_of("later"), 3), MXP_OK);
  CHECK(is_quiet(core)); /* the drain waits for the answer */
  CODE(mxp_respond(core, request.id, request.value, NULL), MXP_OK);
  mxp_release(request.owner);
  succeeded(core, 3);
  succeeded(core, 2);
  CODE(mxp_client_close(core, client, 4), MXP_OK);
  succeeded(core, 4);
  /* A drain that is cancelled closes at once, and so does a client that is. */
  server = server_of_test(core, address, bound, NULL);
  client = client_of_test(core, bound, NULL);
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_drain(core, server, mxp_text_of("now"), 3), MXP_OK);
  usleep(20000);
  CODE(mxp_cancel(core, 3), MXP_OK);
  failed(core, 3, 1, "cancelled");
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(done.status == 14 && done.more->acted == 1);
  mxp_release(done.owner);
  mxp_done gone = await_done(core, MXP_KIND_GONE, LABEL);
  CHECK(gone.id == request.id);
  mxp_release(request.owner);
  CODE(mxp_client_close(core, client, 4), MXP_OK);
  succeeded(core, 4);
}

static void close_cores(void) {
  char address[256], bound[256];
  local_address(address, sizeof address, "close");
  /* Calls in flight, waiting requests, and a client without a server. */
  mxp_core *core = core_of_test();
  server_of_test(core, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL);
  uint64_t lonely = client_of_test(core, NOBODY, NULL);
  for (uint64_t tag = 100; tag < 200; tag++) {
    CODE(mxp_call(core, tag % 2 ? client : lonely, say, none, NULL, tag), MXP_OK);
  }
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_core_close(core, 0, 99), MXP_OK);
  for (uint64_t tag = 100; tag < 200; tag++) {
    mxp_done done = await_done(core, MXP_KIND_TAG, tag);
    CHECK(done.status == 14);
    mxp_release(done.owner);
  }
  mxp_release(request.owner);
  mxp_done last = await_done(core, MXP_KIND_TAG, 99), done;
  CHECK(mxp_take(core, &done, 1, -1) == 0);
  while (kept_count > 0) {
    mxp_release(kept[--kept_count].owner);
  }
  mxp_release(last.owner);
  /* A close that waits: the host answers meanwhile. */
  core = core_of_test();
  server_of_test(core, address, bound, NULL);
  client = client_of_test(core, bound, NULL);
  CODE(mxp_call(core, client, say, bytes("late"), NULL, 2), MXP_OK);
  request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_core_close(core, 10000000, 99), MXP_OK);
  usleep(20000);
  CODE(mxp_respond(core, request.id, request.value, NULL), MXP_OK);
  mxp_release(request.owner);
  mxp_done answered = await_done(core, MXP_KIND_TAG, 2);
  CHECK(answered.status == 0);
  last = await_done(core, MXP_KIND_TAG, 99);
  mxp_release(last.owner);
  CHECK(is_value(&answered, "late")); /* values outlive their core */
  mxp_release(answered.owner);
  /* A core that did nothing, and one that is closed while a host's thread waits for it. */
  close_of_test(core_of_test());
}

/* A host that takes nothing is counted as stuck, and its health is bad until it takes again. */
static void be_stuck(void) {
  mxp_core_options options = {.size = sizeof options, .stuck_us = 100000};
  mxp_core *core = NULL, *other = core_of_test();
  CODE(mxp_core_new(&options, &core, NULL), MXP_OK);
  mxp_server_options healthy = {.size = sizeof healthy, .flags = MXP_SERVER_HEALTH, .label = LABEL};
  uint64_t server = mxp_server_new(core, &desk, 1, &healthy, NULL);
  char address[256];
  local_address(address, sizeof address, "stuck");
  CODE(mxp_listen(core, server, mxp_text_of(address), 2), MXP_OK);
  mxp_release(await_done(core, MXP_KIND_TAG, 2).owner);
  mxp_stats stats = {.size = sizeof stats};
  CODE(mxp_core_stats(core, &stats), MXP_OK);
  CHECK(stats.servers == 1 && stats.queued == 0 && stats.untaken_us == 0 && stats.is_stuck == 0 && stats.operations == 0);
  uint64_t client = client_of_test(other, address, NULL);
  mxp_method check = {.service = TEXT("mxp.health.Health"), .name = TEXT("check"), .number = 1, .kind = MXP_METHOD_CALL};
  const mxp_bytes whole = {(const uint8_t *)"", 1}; /* the empty name: the server as a whole */
  const uint8_t expected[] = {1, 2, 1};              /* serving, not serving, serving */
  for (int i = 0; i < 3; i++) {
    CODE(mxp_call(other, client, &check, whole, NULL, 3), MXP_OK);
    mxp_done done = await_done(other, MXP_KIND_TAG, 3);
    CHECK(done.status == 0 && done.value.length == 1 && done.value.data[0] == expected[i]);
    mxp_release(done.owner);
    if (i == 0) {
      CODE(mxp_event(other, client, note, none, NULL, 0), MXP_OK);
      usleep(1000000);
      CODE(mxp_core_stats(core, &stats), MXP_OK);
      CHECK(stats.is_stuck == 1 && stats.queued == 1 && stats.untaken_us > 100000);
    } else if (i == 1) {
      mxp_release(await_done(core, MXP_KIND_EVENT, LABEL).owner);
      usleep(1000000);
    }
  }
  close_of_test(other);
  close_of_test(core);
}

static void *take_the_last(void *core) {
  static mxp_done last;
  return mxp_take(core, &last, 1, -1) == 1 ? &last : NULL;
}

static void take_on_threads(void) {
  mxp_core *core = core_of_test();
  pthread_t waiting;
  CHECK(pthread_create(&waiting, NULL, take_the_last, core) == 0);
  usleep(20000);
  CODE(mxp_core_close(core, -1, 5), MXP_OK);
  void *last = NULL;
  CHECK(pthread_join(waiting, &last) == 0 && last != NULL && ((mxp_done *)last)->tag == 5);
  mxp_release(((mxp_done *)last)->owner);
}

/* A thread that calls and cancels, until the core is closed. It counts the calls that were begun. */
struct caller {
  mxp_core *core;
  uint64_t client, first, begun;
  int is_good;
};

static void *call_until_closed(void *argument) {
  struct caller *caller = argument;
  for (;;) {
    uint64_t tag = caller->first + caller->begun;
    int32_t code = mxp_call(caller->core, caller->client, say, bytes("x"), NULL, tag);
    if (code == MXP_CORE_CLOSED) {
      caller->is_good = 1;
      return NULL;
    }
    if (code != MXP_OK) {
      return NULL;
    }
    caller->begun++;
    if (tag % 8 == 0) {
      code = mxp_cancel(caller->core, tag);
      if (code != MXP_OK && code != MXP_UNKNOWN_ID) {
        return NULL;
      }
    }
    if (tag % 32 == 0) {
      usleep(100);
    }
  }
}

/* A core that is closed while threads call: what was begun is completed, and the last completion is the last. */
static void close_beside_callers(int64_t timeout_us) {
  char address[256], bound[256];
  local_address(address, sizeof address, "race");
  mxp_core *core = core_of_test();
  server_of_test(core, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL);
  struct caller callers[4];
  pthread_t threads[4];
  for (uint64_t i = 0; i < 4; i++) {
    callers[i] = (struct caller){core, client, (i + 1) << 32, 0, 0};
    CHECK(pthread_create(&threads[i], NULL, call_until_closed, &callers[i]) == 0);
  }
  uint64_t ended = 0, begun = 0;
  int64_t closes = now_us() + 30000;
  mxp_done done;
  for (int is_closing = 0;;) {
    if (!is_closing && now_us() > closes) {
      CODE(mxp_core_close(core, timeout_us, 99), MXP_OK);
      is_closing = 1;
    }
    if (mxp_take(core, &done, 1, 10000) == 0) {
      continue;
    }
    if (done.kind == MXP_KIND_CALL) {
      int32_t code = mxp_respond(core, done.id, done.value, NULL);
      CHECK(code == MXP_OK || code == MXP_UNKNOWN_ID);
    } else if (done.kind == MXP_KIND_TAG && done.tag == 99) {
      break;
    } else if (done.kind == MXP_KIND_TAG) {
      ended++;
    } else {
      CHECK(done.kind == MXP_KIND_GONE);
    }
    mxp_release(done.owner);
  }
  for (int i = 0; i < 4; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0 && callers[i].is_good);
    begun += callers[i].begun;
  }
  if (begun != ended) {
    fprintf(stderr, "%" PRIu64 " begun, %" PRIu64 " ended\n", begun, ended);
  }
  CHECK(begun == ended);
  mxp_release(done.owner);
}

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  mxp_core *core = core_of_test();
  drain_servers(core);
  CHECK(is_quiet(core));
  close_of_test(core);
  close_cores();
  be_stuck();
  take_on_threads();
  for (int i = 0; i < 10; i++) {
    close_beside_callers(i % 2 == 0 ? 0 : 2000000);
  }
  printf("%u checks\n", checks);
  return 0;
}
