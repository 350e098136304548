/* Policies of clients, and addresses of shared memory and WebSocket. */
#include "host.h"

#include <math.h>

static const mxp_bytes none = {NULL, 0};

/* A client of a policy. */
static uint64_t client_with(mxp_core *core, const char *address, const mxp_retry_options *retry,
                            const mxp_websocket_options *websocket) {
  mxp_text text = mxp_text_of(address);
  mxp_client_options options = {.size = sizeof options, .addresses = &text, .address_count = 1, .retry = retry, .websocket = websocket};
  uint64_t client = mxp_client_new(core, &options, NULL);
  CHECK(client != 0);
  return client;
}

/* Fails the next call with the status 14. */
static void refuse(mxp_core *core, uint32_t acted) {
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  mxp_failure failure = {.size = sizeof failure, .status = 14, .acted = acted, .name = TEXT("shaky")};
  CODE(mxp_fail(core, request.id, &failure), MXP_OK);
  mxp_release(request.owner);
}

/* Answers the next call with its value. */
static void answer(mxp_core *core) {
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_respond(core, request.id, request.value, NULL), MXP_OK);
  mxp_release(request.owner);
}

static void repeat_calls(mxp_core *core) {
  char address[256], bound[256];
  local_address(address, sizeof address, "policy");
  server_of_test(core, address, bound, NULL);
  mxp_retry_options retry = {.size = sizeof retry, .attempts = 4, .least_pause_us = 1000, .greatest_pause_us = 2000, .budget = 10};
  uint64_t client = client_with(core, bound, &retry, NULL);
  CODE(mxp_call(core, client, say, bytes("again"), NULL, 2), MXP_OK);
  for (int i = 0; i < 3; i++) {
    refuse(core, 0);
  }
  answer(core);
  succeeded(core, 2);
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  for (int i = 0; i < 4; i++) {
    refuse(core, 0);
  }
  failed(core, 2, 14, "shaky"); /* after as many attempts as the policy has */
  /* Somebody may have acted: the method has to be idempotent. */
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  refuse(core, 1);
  failed(core, 2, 14, "shaky");
  mxp_method method = *say;
  method.flags = MXP_METHOD_IDEMPOTENT;
  CODE(mxp_call(core, client, &method, none, NULL, 2), MXP_OK);
  refuse(core, 1);
  answer(core);
  succeeded(core, 2);
  /* Without a policy nothing is repeated. */
  uint64_t plain = client_with(core, bound, NULL, NULL);
  CODE(mxp_call(core, plain, &method, none, NULL, 2), MXP_OK);
  refuse(core, 0);
  failed(core, 2, 14, "shaky");
  /* A policy without a budget has the ten that are there at first. */
  retry.budget = -1;
  retry.attempts = 100;
  uint64_t poor = client_with(core, bound, &retry, NULL);
  CODE(mxp_call(core, poor, say, none, NULL, 2), MXP_OK);
  for (int i = 0; i < 11; i++) {
    refuse(core, 0);
  }
  failed(core, 2, 14, "shaky");
  CHECK(is_quiet(core));
}

static void end_in_time(mxp_core *core) {
  char address[256], bound[256];
  local_address(address, sizeof address, "time");
  server_of_test(core, address, bound, NULL);
  mxp_retry_options retry = {.size = sizeof retry, .timeout_us = 50000};
  uint64_t client = client_with(core, bound, &retry, NULL);
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CHECK(request.more->timeout_us >= 0 && request.more->timeout_us <= 50000);
  mxp_release(request.owner);
  failed(core, 2, 4, "deadline_exceeded");
  await_done(core, MXP_KIND_GONE, LABEL);
  /* A hedge goes over another connection, and the first answer counts. */
  char other[256];
  local_address(address, sizeof address, "hedge");
  server_of_test(core, address, other, NULL);
  mxp_text addresses[] = {mxp_text_of(bound), mxp_text_of(other)};
  retry = (mxp_retry_options){.size = sizeof retry, .hedge_us = 20000, .attempts = 100};
  mxp_client_options options = {.size = sizeof options, .addresses = addresses, .address_count = 2, .retry = &retry};
  uint64_t hedged = mxp_client_new(core, &options, NULL);
  mxp_method method = *say;
  method.flags = MXP_METHOD_IDEMPOTENT;
  CODE(mxp_call(core, hedged, say, none, NULL, 2), MXP_OK); /* a call without a connection is not hedged */
  answer(core);
  succeeded(core, 2);
  CODE(mxp_call(core, hedged, &method, none, NULL, 2), MXP_OK);
  mxp_done first = await_done(core, MXP_KIND_CALL, LABEL);
  mxp_done second = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_respond(core, second.id, bytes("hedge"), NULL), MXP_OK);
  mxp_done done = await_done(core, MXP_KIND_TAG, 2);
  CHECK(done.status == 0 && is_value(&done, "hedge"));
  CHECK(await_done(core, MXP_KIND_GONE, LABEL).id == first.id);
  mxp_release(done.owner);
  mxp_release(first.owner);
  mxp_release(second.owner);
  CHECK(is_quiet(core));
}

/* A call at an address, by a token that both sides have. */
static void call_over(mxp_core *core, const char *address, const mxp_websocket_options *there, const mxp_websocket_options *here,
                      int is_let_in) {
  mxp_server_options options = {.size = sizeof options, .label = LABEL, .websocket = there};
  uint64_t server = mxp_server_new(core, &desk, 1, &options, NULL);
  CODE(mxp_listen(core, server, mxp_text_of(address), 1), MXP_OK);
  mxp_done listening = await_done(core, MXP_KIND_TAG, 1);
  CHECK(listening.status == 0);
  char bound[256];
  memcpy(bound, listening.value.data, listening.value.length);
  bound[listening.value.length] = 0;
  mxp_release(listening.owner);
  uint64_t client = client_with(core, bound, NULL, here);
  mxp_request_options limits = {.size = sizeof limits, .timeout_us = is_let_in ? 15000000 : 500000};
  CODE(mxp_call(core, client, say, bytes("hello"), &limits, 2), MXP_OK);
  if (is_let_in) {
    mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
    CHECK(strncmp(request.more->peer.data, bound, 8) == 0); /* the scheme */
    CODE(mxp_respond(core, request.id, request.value, NULL), MXP_OK);
    mxp_release(request.owner);
    succeeded(core, 2);
  } else {
    mxp_done done = await_done(core, MXP_KIND_TAG, 2);
    CHECK(done.status != 0 && done.more->acted == 0);
    mxp_release(done.owner);
  }
  CODE(mxp_client_close(core, client, 3), MXP_OK);
  succeeded(core, 3);
  CODE(mxp_drain(core, server, mxp_text_of(""), 4), MXP_OK);
  succeeded(core, 4);
}

static void call_by_transports(mxp_core *core) {
#ifdef _WIN32
  call_over(core, "mxp+pipe://mxp-c-policies", NULL, NULL, 1);
  call_over(core, "mxp+shm://mxp-c-shared", NULL, NULL, 1);
#else
  char address[256];
  snprintf(address, sizeof address, "mxp+shm://%s/shm.sock", folder);
  call_over(core, address, NULL, NULL, 1);
#endif
  call_over(core, "mxp+ws://127.0.0.1:0/desk", NULL, NULL, 1);
  mxp_text hosts[] = {TEXT("studio.example"), TEXT("::2")}, origins[] = {TEXT("https://studio.example")};
  mxp_websocket_options there = {.size = sizeof there, .token = TEXT("sesame"), .hosts = hosts, .host_count = 2,
                                 .origins = origins, .origin_count = 1, .origin_connections = 3};
  mxp_websocket_options here = {.size = sizeof here, .token = TEXT("sesame")};
  call_over(core, "mxp+ws://127.0.0.1:0/desk", &there, &here, 1);
  here.token = mxp_text_of("simsim");
  call_over(core, "mxp+ws://127.0.0.1:0/desk", &there, &here, 0);
  call_over(core, "mxp+ws://127.0.0.1:0/desk", &there, NULL, 0);
}

static void refuse_policies(mxp_core *core) {
  mxp_text address = TEXT(NOBODY);
  mxp_retry_options retry = {.size = 4};
  mxp_client_options options = {.size = sizeof options, .addresses = &address, .address_count = 1, .retry = &retry};
  mxp_failure why = {.size = sizeof why};
#define REFUSED(name_)                                                       \
  do {                                                                       \
    CHECK(mxp_client_new(core, &options, &why) == 0 && is_text(why.name, name_)); \
    mxp_release(why.owner);                                                  \
  } while (0)
  REFUSED("bad_size");
  retry.size = sizeof retry + 8;
  REFUSED("bad_size");
  const mxp_retry_options wrong[] = {{.least_pause_us = -1}, {.greatest_pause_us = -1}, {.timeout_us = -1}, {.hedge_us = INT64_MIN}, {.budget = NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    retry = wrong[i];
    retry.size = sizeof retry;
    REFUSED("bad_value");
  }
  mxp_text hosts[] = {TEXT("studio.example:80")};
  mxp_websocket_options websocket = {.size = sizeof websocket, .flags = 1};
  options.retry = NULL;
  options.websocket = &websocket;
  REFUSED("bad_value");
  websocket = (mxp_websocket_options){.size = 12};
  REFUSED("bad_size");
  websocket = (mxp_websocket_options){.size = sizeof websocket, .host_count = 1};
  REFUSED("null_pointer");
  websocket.hosts = hosts;
  REFUSED("bad_value");
  hosts[0] = mxp_text_of("[::1]");
  REFUSED("bad_value");
  hosts[0] = mxp_text_of("");
  REFUSED("bad_value");
  websocket = (mxp_websocket_options){.size = sizeof websocket, .token = TEXT("open sesame")};
  REFUSED("bad_value");
  static char large[257];
  memset(large, 'x', sizeof large);
  websocket.token = (mxp_text){large, sizeof large};
  REFUSED("bad_value");
  websocket.token.length--;
  CHECK(mxp_client_new(core, &options, NULL) != 0);
  options.node = (mxp_text){NULL, 1};
  REFUSED("null_pointer");
  mxp_server_options of_server = {.size = sizeof of_server, .websocket = &websocket};
  websocket.flags = 7;
  CHECK(mxp_server_new(core, &desk, 1, &of_server, &why) == 0 && is_text(why.name, "bad_value"));
  mxp_release(why.owner);
  /* A struct that ends before them is one of an older header. */
  options.size = 72;
  CHECK(mxp_client_new(core, &options, NULL) != 0);
  of_server.size = 40;
  CHECK(mxp_server_new(core, &desk, 1, &of_server, NULL) != 0);
}

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  mxp_core *core = core_of_test();
  repeat_calls(core);
  end_in_time(core);
  call_by_transports(core);
  refuse_policies(core);
  close_of_test(core);
  printf("%u checks\n", checks);
  return 0;
}
