/* A server and a client in one program, which wait by poll(2), or on Windows for an event. Run without arguments, it calls,
 * tells and streams once, and says what comes back. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <poll.h>
#endif

#include "mxp.h"

#define LITERAL(literal) {literal, sizeof(literal) - 1}

static const mxp_method methods[] = {
    {.service = LITERAL("demo.Echo"), .name = LITERAL("say"), .number = 1, .kind = MXP_METHOD_CALL},
    {.service = LITERAL("demo.Echo"), .name = LITERAL("note"), .number = 2, .kind = MXP_METHOD_EVENT},
    {.service = LITERAL("demo.Echo"), .name = LITERAL("talk"), .number = 3, .kind = MXP_METHOD_STREAM},
};

static const mxp_service service = {LITERAL("demo.Echo"), methods, 3};

enum { LISTEN = 1, CALL, EVENT, OPEN, DRAIN, CLOSE };

static mxp_core *core;
static uint64_t server, client;
static int is_over;

/* Ends the program for a code that it does not await. */
static void check(int32_t code, const char *action) {
  if (code != MXP_OK) {
    mxp_text name = mxp_code_name(code);
    fprintf(stderr, "%s: %.*s\n", action, (int)name.length, name.data);
    exit(1);
  }
}

static mxp_bytes bytes(const char *text) {
  mxp_bytes made = {(const uint8_t *)text, strlen(text)};
  return made;
}

/* Connects to the address at which the server listens, and makes the first request. */
static void begin(mxp_bytes address) {
  mxp_text text = {(const char *)address.data, address.length};
  mxp_client_options options = {.size = sizeof options, .addresses = &text, .address_count = 1};
  mxp_failure failure = {.size = sizeof failure};
  client = mxp_client_new(core, &options, &failure);
  if (client == 0) {
    fprintf(stderr, "client: %.*s\n", (int)failure.text.length, failure.text.data);
    mxp_release(failure.owner);
    exit(1);
  }
  check(mxp_call(core, client, &methods[0], bytes("hello"), NULL, CALL), "call");
}

/* Goes on behind the end of an operation. */
static void ended(const mxp_done *done) {
  if (done->status != 0) {
    fprintf(stderr, "operation %" PRIu64 ": %.*s\n", done->tag, (int)done->more->text.length, done->more->text.data);
    exit(1);
  }
  mxp_request_options acked = {.size = sizeof acked, .flags = MXP_REQUEST_ACKED, .timeout_us = 1000000};
  switch (done->tag) {
  case LISTEN:
    begin(done->value);
    break;
  case CALL:
    printf("answer: %.*s\n", (int)done->value.length, (const char *)done->value.data);
    check(mxp_event(core, client, &methods[1], bytes("noted"), &acked, EVENT), "event");
    break;
  case EVENT:
    check(mxp_open(core, client, &methods[2], bytes("first"), NULL, OPEN), "open");
    break;
  case OPEN:
    check(mxp_send(core, done->id, bytes("second"), MXP_SEND_LAST), "send");
    break;
  case DRAIN:
    check(mxp_core_close(core, 1000000, CLOSE), "close");
    break;
  case CLOSE:
    is_over = 1;
    break;
  }
}

/* Takes one completion of either side. */
static void handle(const mxp_done *done) {
  switch (done->kind) {
  case MXP_KIND_TAG:
    ended(done);
    break;
  case MXP_KIND_CALL:
    check(mxp_respond(core, done->id, done->value, NULL), "respond");
    break;
  case MXP_KIND_EVENT:
    printf("event: %.*s\n", (int)done->value.length, (const char *)done->value.data);
    break;
  case MXP_KIND_STREAM:
    check(mxp_send(core, done->id, done->value, 0), "send");
    break;
  case MXP_KIND_CHUNK:
    printf("chunk: %.*s\n", (int)done->value.length, (const char *)done->value.data);
    if (done->tag != OPEN) { /* the server's side */
      check(mxp_send(core, done->id, done->value, 0), "send");
    }
    break;
  case MXP_KIND_END:
    if (done->tag != OPEN) {
      check(mxp_end(core, done->id), "end");
    }
    break;
  case MXP_KIND_OVER:
    if (done->tag == OPEN) {
      printf("the stream is over\n");
      check(mxp_drain(core, server, mxp_text_of("done"), DRAIN), "drain");
    }
    break;
  }
}

static void wait_for_completions(void) {
#ifdef _WIN32
  WaitForSingleObject((HANDLE)mxp_core_waitable(core), INFINITE);
#else
  struct pollfd waits = {.fd = (int)mxp_core_waitable(core), .events = POLLIN};
  poll(&waits, 1, -1);
#endif
}

int main(void) {
  mxp_failure failure = {.size = sizeof failure};
  check(mxp_core_new(NULL, &core, &failure), "core");
  mxp_server_options options = {.size = sizeof options, .label = 1000};
  server = mxp_server_new(core, &service, 1, &options, &failure);
  if (server == 0) {
    return 1;
  }
  char address[128];
#ifdef _WIN32
  snprintf(address, sizeof address, "mxp+pipe://mxp-echo-%d", (int)getpid());
#else
  snprintf(address, sizeof address, "mxp+unix:///tmp/mxp-echo-%d.sock", (int)getpid());
#endif
  check(mxp_listen(core, server, mxp_text_of(address), LISTEN), "listen");
  while (!is_over) {
    wait_for_completions();
    mxp_done taken[16];
    size_t count = mxp_take(core, taken, 16, 0);
    for (size_t i = 0; i < count; i++) {
      handle(&taken[i]);
      mxp_release(taken[i].owner);
    }
  }
  return 0;
}
