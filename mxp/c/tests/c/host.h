/* A host for tests: checks that end the program, and completions in the order in which a test wants them. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#define __USE_MINGW_ANSI_STDIO 1 /* of mingw, for formats as of other systems */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mxp.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

static unsigned checks;

#define CHECK(condition)                                                    \
  do {                                                                      \
    checks++;                                                               \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

/* A check of a code, whose name is printed. */
#define CODE(call, code)                                                                        \
  do {                                                                                          \
    int32_t found_ = (call);                                                                    \
    checks++;                                                                                   \
    if (found_ != (code)) {                                                                     \
      fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, (int)found_);              \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

enum { SAY = 1, NOTE = 2, TALK = 3, SURE = 4 };

static const mxp_method methods[] = {
    {.service = TEXT("test.Desk"), .name = TEXT("say"), .number = SAY, .kind = MXP_METHOD_CALL},
    {.service = TEXT("test.Desk"), .name = TEXT("note"), .number = NOTE, .kind = MXP_METHOD_EVENT},
    {.service = TEXT("test.Desk"), .name = TEXT("talk"), .number = TALK, .kind = MXP_METHOD_STREAM},
    {.service = TEXT("test.Desk"), .name = TEXT("sure"), .number = SURE, .kind = MXP_METHOD_EVENT, .flags = MXP_METHOD_CONFIRM},
};
static const mxp_method *const say = &methods[0], *const note = &methods[1], *const talk = &methods[2], *const sure = &methods[3];
static const mxp_service desk = {TEXT("test.Desk"), methods, 4};

/* An address at which nobody listens. */
#ifdef _WIN32
#define NOBODY "mxp+pipe://mxp-nobody"
#else
#define NOBODY "mxp+unix:///tmp/mxp-nobody.sock"
#endif

/* The label of servers. */
enum { LABEL = 1 << 30 };

static const char *folder, *certificates;

/* Completions that were taken, and that no test has wanted yet. */
static mxp_done kept[8192];
static size_t kept_count;

static inline int64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static inline mxp_bytes bytes(const char *text) {
  mxp_bytes made = {(const uint8_t *)text, strlen(text)};
  return made;
}

static inline int is_text(mxp_text text, const char *expected) {
  return text.length == strlen(expected) && (text.length == 0 || memcmp(text.data, expected, text.length) == 0);
}

static inline int is_value(const mxp_done *done, const char *expected) {
  mxp_text text = {(const char *)done->value.data, done->value.length};
  return is_text(text, expected);
}

static inline int is_failure(const mxp_done *done, uint32_t status, const char *name) {
  int is = done->status == status && done->more != NULL && is_text(done->more->name, name);
  if (!is && done->more != NULL) {
    fprintf(stderr, "status %u, %.*s: %.*s\n", done->status, (int)done->more->name.length, done->more->name.data,
            (int)done->more->text.length, done->more->text.data);
  }
  return is;
}

/* Takes a completion of a kind, with a tag or a label, and keeps others for later. */
static inline mxp_done await_done(mxp_core *core, uint32_t kind, uint64_t tag) {
  int64_t end = now_us() + 20000000;
  for (size_t i = 0; i < kept_count; i++) {
    if (kept[i].kind == kind && kept[i].tag == tag) {
      mxp_done found = kept[i];
      memmove(&kept[i], &kept[i + 1], (--kept_count - i) * sizeof(mxp_done));
      return found;
    }
  }
  for (;;) {
    mxp_done done;
    int64_t left = end - now_us();
    if (left < 0 || mxp_take(core, &done, 1, left) == 0) {
      fprintf(stderr, "no completion of kind %u with tag %" PRIu64 "\n", kind, tag);
      for (size_t i = 0; i < kept_count; i++) {
        fprintf(stderr, "  there is kind %u, tag %" PRIu64 "\n", kept[i].kind, kept[i].tag);
      }
      abort();
    }
    if (done.kind == kind && done.tag == tag) {
      return done;
    }
    if (kept_count == sizeof kept / sizeof kept[0]) {
      fprintf(stderr, "too many completions are kept\n");
      abort();
    }
    kept[kept_count++] = done;
  }
}

/* Awaits the good end of an operation. */
static inline uint64_t succeeded(mxp_core *core, uint64_t tag) {
  mxp_done done = await_done(core, MXP_KIND_TAG, tag);
  if (done.status != 0) {
    is_failure(&done, 0, "");
  }
  CHECK(done.status == 0);
  mxp_release(done.owner);
  return done.id;
}

/* Awaits the failure of an operation. */
static inline void failed(mxp_core *core, uint64_t tag, uint32_t status, const char *name) {
  mxp_done done = await_done(core, MXP_KIND_TAG, tag);
  CHECK(is_failure(&done, status, name));
  mxp_release(done.owner);
}

/* Whether nothing is there to be taken, and nothing is kept. */
static inline int is_quiet(mxp_core *core) {
  mxp_done done;
  return kept_count == 0 && mxp_take(core, &done, 1, 50000) == 0;
}

static inline mxp_core *core_of_test(void) {
  mxp_core *core = NULL;
  CODE(mxp_core_new(NULL, &core, NULL), MXP_OK);
  return core;
}

/* A server that listens, whose address is copied. */
static inline uint64_t server_of_test(mxp_core *core, const char *address, char *bound, const mxp_tls_options *tls) {
  mxp_server_options options = {.size = sizeof options, .label = LABEL, .tls = tls};
  mxp_failure failure = {.size = sizeof failure};
  uint64_t server = mxp_server_new(core, &desk, 1, &options, &failure);
  if (server == 0) {
    fprintf(stderr, "%.*s\n", (int)failure.text.length, failure.text.data);
  }
  CHECK(server != 0);
  CODE(mxp_listen(core, server, mxp_text_of(address), 1), MXP_OK);
  mxp_done done = await_done(core, MXP_KIND_TAG, 1);
  if (done.status != 0) {
    is_failure(&done, 0, "");
  }
  CHECK(done.status == 0);
  memcpy(bound, done.value.data, done.value.length);
  bound[done.value.length] = 0;
  mxp_release(done.owner);
  return server;
}

static inline uint64_t client_of_test(mxp_core *core, const char *address, const mxp_tls_options *tls) {
  mxp_text text = mxp_text_of(address);
  mxp_client_options options = {
      .size = sizeof options, .addresses = &text, .address_count = 1, .services = &desk, .service_count = 1, .tls = tls};
  uint64_t client = mxp_client_new(core, &options, NULL);
  CHECK(client != 0);
  return client;
}

#ifdef _WIN32
/* The address of a pipe of the test's process. */
static inline void local_address(char *out, size_t size, const char *name) {
  snprintf(out, size, "mxp+pipe://mxp-c-%d-%s", (int)getpid(), name);
}
#else
/* The address of a socket in the folder of the test. */
static inline void local_address(char *out, size_t size, const char *name) {
  snprintf(out, size, "mxp+unix://%s/%s.sock", folder, name);
}
#endif

/* Closes a core at once, and frees it. All that is left is released. */
static inline void close_of_test(mxp_core *core) {
  CODE(mxp_core_close(core, 0, 99), MXP_OK);
  mxp_done last = await_done(core, MXP_KIND_TAG, 99);
  CHECK(last.owner != NULL && mxp_take(core, &last, 1, -1) == 0);
  for (size_t i = 0; i < kept_count; i++) {
    mxp_release(kept[i].owner);
  }
  kept_count = 0;
  mxp_release(last.owner);
}

static inline int begin_tests(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: %s FOLDER CERTIFICATES\n", arguments[0]);
    return 0;
  }
  folder = arguments[1];
  certificates = arguments[2];
  return 1;
}
