/* Wrong calls: each ends in a code. */
#include "host.h"

#ifndef _WIN32
#include <sys/wait.h>
#endif

static const mxp_bytes none = {NULL, 0};
static const mxp_text nothing = {NULL, 0};
static const char broken_text[] = {(char)0xff, (char)0xfe};

static void name_the_codes(void) {
  CHECK(mxp_abi() == MXP_ABI);
  CHECK(is_text(mxp_code_name(MXP_OK), "ok"));
  CHECK(is_text(mxp_code_name(MXP_CORE_FORKED), "core_forked"));
  CHECK(is_text(mxp_code_name(MXP_INTERNAL), "internal"));
  CHECK(mxp_code_name(MXP_INTERNAL + 1).length == 0);
  CHECK(mxp_code_name(-1).length == 0);
}

/* All functions of a core, which refuse with the same code. */
static void refuse_all(mxp_core *core, int32_t code) {
  mxp_failure failure = {.size = sizeof failure, .status = 13};
  mxp_text address = TEXT(NOBODY);
  mxp_client_options options = {.size = sizeof options, .addresses = &address, .address_count = 1};
  const char *name = mxp_code_name(code).data;
  size_t length = mxp_code_name(code).length;
  CODE(mxp_core_state(core), code);
  CODE(mxp_core_close(core, 0, 7), code);
  CODE(mxp_client_close(core, 1, 7), code);
  CODE(mxp_call(core, 1, say, none, NULL, 7), code);
  CODE(mxp_event(core, 1, note, none, NULL, 7), code);
  CODE(mxp_open(core, 1, talk, none, NULL, 7), code);
  CODE(mxp_listen(core, 1, address, 7), code);
  CODE(mxp_drain(core, 1, nothing, 7), code);
  mxp_failure why = {.size = sizeof why};
  CHECK(mxp_client_new(core, &options, &why) == 0 && why.name.length == length && memcmp(why.name.data, name, length) == 0);
  CHECK(why.status != 0 && why.acted == 0);
  mxp_release(why.owner);
  why.owner = NULL;
  CHECK(mxp_server_new(core, &desk, 1, NULL, &why) == 0 && why.name.length == length && memcmp(why.name.data, name, length) == 0);
  mxp_release(why.owner);
  CHECK(mxp_client_new(core, &options, NULL) == 0);
  CHECK(mxp_server_new(core, &desk, 1, NULL, NULL) == 0);
  mxp_announce_options entry = {.size = sizeof entry, .name = TEXT("desk")};
  CHECK(mxp_announce(core, &entry, NULL) == 0);
  CHECK(mxp_subscribe(core, &desk, 1, NULL, NULL) == 0);
  CODE(mxp_withdraw(core, 1, 7), code);
  CODE(mxp_find_agents(core, 1, NULL, 7), code);
  if (code == MXP_CORE_CLOSED) {
    return;
  }
  mxp_done done;
  CODE(mxp_cancel(core, 7), code);
  CODE(mxp_send(core, 1, none, 0), code);
  CODE(mxp_end(core, 1), code);
  CODE(mxp_reset(core, 1), code);
  CODE(mxp_respond(core, 1, none, NULL), code);
  CODE(mxp_fail(core, 1, &failure), code);
  mxp_stats stats = {.size = sizeof stats};
  CODE(mxp_core_stats(core, &stats), code);
  CHECK(mxp_core_waitable(core) == -1);
  CHECK(mxp_take(core, &done, 1, -1) == 0);
}

static void make_no_core(void) {
  mxp_core *core = (mxp_core *)&core;
  mxp_core_options options = {.size = sizeof options};
  CODE(mxp_core_new(NULL, NULL, NULL), MXP_NULL_POINTER);
  const uint32_t sizes[] = {0, 4, 7, 9, 12, 32, 1000, UINT32_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    options.size = sizes[i];
    CODE(mxp_core_new(&options, &core, NULL), MXP_BAD_SIZE);
    CHECK(core == NULL);
  }
  options = (mxp_core_options){.size = sizeof options, .flags = 1};
  CODE(mxp_core_new(&options, &core, NULL), MXP_BAD_VALUE);
}

static void take_nothing(mxp_core *core) {
  mxp_done done;
  CHECK(mxp_take(core, NULL, 1, 0) == 0);
  CHECK(mxp_take(core, NULL, 0, -1) == 0);
  CHECK(mxp_take(core, &done, 0, -1) == 0);
  CHECK(mxp_take(core, &done, 1, 0) == 0);
  int64_t begin = now_us();
  CHECK(mxp_take(core, &done, 1, 20000) == 0 && now_us() - begin >= 19000);
  CHECK(mxp_core_waitable(core) >= 0);
  mxp_stats stats = {.size = sizeof stats - 8};
  CODE(mxp_core_stats(core, NULL), MXP_NULL_POINTER);
  CODE(mxp_core_stats(core, &stats), MXP_BAD_SIZE);
  mxp_release(NULL);
}

static void refuse_clients(mxp_core *core) {
  mxp_text addresses[] = {TEXT(NOBODY), {broken_text, 2}};
  mxp_failure why = {.size = sizeof why};
  mxp_client_options options = {.size = sizeof options, .addresses = addresses};
#define REFUSED(expected)                                                       \
  do {                                                                          \
    CHECK(mxp_client_new(core, &options, &why) == 0);                           \
    CHECK(why.status != 0 && (expected[0] == 0 || is_text(why.name, expected))); \
    mxp_release(why.owner);                                                     \
    why = (mxp_failure){.size = sizeof why};                                    \
  } while (0)
  CHECK(mxp_client_new(core, NULL, NULL) == 0);
  REFUSED("system"); /* no address at all */
  options.address_count = 2;
  REFUSED("bad_text");
  options.addresses = NULL;
  REFUSED("null_pointer");
  options.addresses = addresses;
  options.address_count = SIZE_MAX;
  REFUSED("bad_value");
  mxp_text wrong = TEXT("carrier-pigeon://roof");
  options.addresses = &wrong;
  options.address_count = 1;
  REFUSED("");
  options.addresses = addresses;
  options.flags = 2;
  REFUSED("bad_value");
  options.flags = 0;
  options.size = 20;
  REFUSED("bad_size");
  options.size = sizeof options + 8;
  REFUSED("bad_size");
  options.size = sizeof options;
  options.service_count = 1;
  REFUSED("null_pointer");
  options.service_count = 0;
  mxp_tls_options tls = {.size = 8};
  options.tls = &tls;
  REFUSED("tls"); /* no authority */
  tls = (mxp_tls_options){.size = sizeof tls, .authority = TEXT("/nowhere/authority.pem")};
  REFUSED("tls");
  tls.flags = 1;
  REFUSED("bad_value");
  tls.size = 3;
  REFUSED("bad_size");
  options.tls = NULL;
  why.size = sizeof why - 8;
  why.status = 77;
  options.flags = 1;
  CHECK(mxp_client_new(core, &options, &why) == 0 && why.status == 77 && why.owner == NULL);
  /* A struct that ends behind its addresses is one of an older header. */
  options = (mxp_client_options){.size = 24, .addresses = addresses, .address_count = 1, .tls = (void *)1};
  CHECK(mxp_client_new(core, &options, NULL) != 0);
}

static void refuse_servers(mxp_core *core) {
  mxp_failure why = {.size = sizeof why};
  mxp_server_options options = {.size = sizeof options, .flags = 64};
  CHECK(mxp_server_new(core, NULL, 1, NULL, &why) == 0 && is_text(why.name, "null_pointer"));
  mxp_release(why.owner);
  CHECK(mxp_server_new(core, &desk, 1, &options, &why) == 0 && is_text(why.name, "bad_value"));
  mxp_release(why.owner);
  mxp_method method = *say;
  mxp_service service = {TEXT("test.Desk"), &method, 1};
  method.kind = 4;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  method.kind = 0;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  method = *say;
  method.number = 65536;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  method = *say;
  method.flags = 16;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  method = *say;
  method.reserved = 1;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  method = *say;
  mxp_type type = {TEXT("test.Gain"), NULL, 3, TEXT("")};
  method.request = &type;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  service.methods = NULL;
  CHECK(mxp_server_new(core, &service, 1, NULL, NULL) == 0);
  uint64_t server = mxp_server_new(core, NULL, 0, NULL, NULL);
  CHECK(server != 0);
  CODE(mxp_listen(core, server, nothing, 0), MXP_BAD_TAG);
  CODE(mxp_listen(core, server, (mxp_text){NULL, 5}, 3), MXP_NULL_POINTER);
  CODE(mxp_listen(core, server, (mxp_text){broken_text, 2}, 3), MXP_BAD_TEXT);
  CODE(mxp_listen(core, server, nothing, 3), MXP_OK);
  mxp_done done = await_done(core, MXP_KIND_TAG, 3);
  CHECK(done.status != 0 && done.more != NULL);
  mxp_release(done.owner);
#ifndef _WIN32
  CODE(mxp_listen(core, server, mxp_text_of("mxp+unix:///nowhere/at/all.sock"), 3), MXP_OK);
  failed(core, 3, 5, "system");
#endif
  CODE(mxp_listen(core, server, mxp_text_of("mxp+tcp://203.0.113.1:0"), 3), MXP_OK);
  failed(core, 3, 14, "system");
  CODE(mxp_listen(core, server, mxp_text_of("mxp+tls://127.0.0.1:0"), 3), MXP_OK);
  done = await_done(core, MXP_KIND_TAG, 3);
  CHECK(done.status == 9); /* no certificate was given */
  mxp_release(done.owner);
  CODE(mxp_drain(core, server, (mxp_text){broken_text, 2}, 3), MXP_BAD_TEXT);
  CODE(mxp_drain(core, server, nothing, 0), MXP_BAD_TAG);
  CODE(mxp_drain(core, server, nothing, 3), MXP_OK);
  CODE(mxp_drain(core, server, nothing, 4), MXP_UNKNOWN_ID);
  CODE(mxp_listen(core, server, nothing, 4), MXP_UNKNOWN_ID);
  succeeded(core, 3);
}

static void refuse_requests(mxp_core *core, uint64_t client, uint64_t server) {
  mxp_method method = *say;
  CODE(mxp_call(core, client, NULL, none, NULL, 5), MXP_NULL_POINTER);
  CODE(mxp_call(core, client, say, none, NULL, 0), MXP_BAD_TAG);
  CODE(mxp_open(core, client, talk, none, NULL, 0), MXP_BAD_TAG);
  CODE(mxp_call(core, client, note, none, NULL, 5), MXP_BAD_VALUE);
  CODE(mxp_event(core, client, say, none, NULL, 5), MXP_BAD_VALUE);
  CODE(mxp_open(core, client, say, none, NULL, 5), MXP_BAD_VALUE);
  CODE(mxp_call(core, server, say, none, NULL, 5), MXP_UNKNOWN_ID);
  CODE(mxp_call(core, 0, say, none, NULL, 5), MXP_UNKNOWN_ID);
  CODE(mxp_call(core, UINT64_MAX, say, none, NULL, 5), MXP_UNKNOWN_ID);
  CODE(mxp_listen(core, client, nothing, 5), MXP_UNKNOWN_ID);
  CODE(mxp_drain(core, client, nothing, 5), MXP_UNKNOWN_ID);
  CODE(mxp_client_close(core, server, 5), MXP_UNKNOWN_ID);
  CODE(mxp_client_close(core, client, 0), MXP_BAD_TAG);
  CODE(mxp_call(core, client, say, (mxp_bytes){NULL, 1}, NULL, 5), MXP_NULL_POINTER);
  CODE(mxp_call(core, client, say, (mxp_bytes){(const uint8_t *)"x", SIZE_MAX}, NULL, 5), MXP_BAD_VALUE);
  method.service = (mxp_text){broken_text, 2};
  CODE(mxp_call(core, client, &method, none, NULL, 5), MXP_BAD_TEXT);
  method.service = (mxp_text){NULL, 9};
  CODE(mxp_call(core, client, &method, none, NULL, 5), MXP_NULL_POINTER);
  method = *say;
  method.number = 1 << 20;
  CODE(mxp_call(core, client, &method, none, NULL, 5), MXP_BAD_VALUE);
  mxp_request_options options = {.size = 4};
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_BAD_SIZE);
  options.size = sizeof options + 8;
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_BAD_SIZE);
  options = (mxp_request_options){.size = sizeof options, .flags = 128};
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_BAD_VALUE);
  options.flags = MXP_REQUEST_END;
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_BAD_VALUE);
  CODE(mxp_event(core, client, note, none, &options, 5), MXP_BAD_VALUE);
  options.flags = MXP_REQUEST_ACKED;
  CODE(mxp_open(core, client, talk, none, &options, 5), MXP_BAD_VALUE);
  options = (mxp_request_options){.size = sizeof options, .flags = MXP_REQUEST_TRACE, .trace_flags = 256};
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_BAD_VALUE);
  options = (mxp_request_options){.size = sizeof options, .when_full = 4};
  CODE(mxp_event(core, client, note, none, &options, 5), MXP_BAD_VALUE);
  mxp_pairs pairs = {NULL, 1};
  options = (mxp_request_options){.size = sizeof options, .metadata = &pairs};
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_NULL_POINTER);
  mxp_pair pair = {{broken_text, 2}, none};
  pairs.items = &pair;
  CODE(mxp_call(core, client, say, none, &options, 5), MXP_BAD_TEXT);
  CODE(mxp_cancel(core, 5), MXP_UNKNOWN_ID);
  CODE(mxp_cancel(core, 0), MXP_UNKNOWN_ID);
}

static void refuse_answers(mxp_core *core, uint64_t client) {
  mxp_failure failure = {.size = sizeof failure, .status = 13};
  CODE(mxp_call(core, client, say, none, NULL, 5), MXP_OK);
  CODE(mxp_call(core, client, say, none, NULL, 5), MXP_BAD_TAG);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  CODE(mxp_fail(core, request.id, NULL), MXP_NULL_POINTER);
  failure.size = 4;
  CODE(mxp_fail(core, request.id, &failure), MXP_BAD_SIZE);
  failure = (mxp_failure){.size = sizeof failure};
  CODE(mxp_fail(core, request.id, &failure), MXP_BAD_VALUE);
  failure.status = 65536;
  CODE(mxp_fail(core, request.id, &failure), MXP_BAD_VALUE);
  failure.status = 13;
  failure.acted = 2;
  CODE(mxp_fail(core, request.id, &failure), MXP_BAD_VALUE);
  failure.acted = 0;
  failure.name = (mxp_text){broken_text, 2};
  CODE(mxp_fail(core, request.id, &failure), MXP_BAD_TEXT);
  CODE(mxp_send(core, request.id, none, 0), MXP_UNKNOWN_ID);
  CODE(mxp_respond(core, request.id, (mxp_bytes){NULL, 1}, NULL), MXP_NULL_POINTER);
  CODE(mxp_respond(core, request.id, none, NULL), MXP_OK);
  CODE(mxp_respond(core, request.id, none, NULL), MXP_UNKNOWN_ID);
  failure.name = nothing;
  CODE(mxp_fail(core, request.id, &failure), MXP_UNKNOWN_ID);
  mxp_release(request.owner);
  succeeded(core, 5);
  CODE(mxp_cancel(core, 5), MXP_UNKNOWN_ID);
}

static void refuse_chunks(mxp_core *core, uint64_t client) {
  mxp_failure failure = {.size = sizeof failure, .status = 13};
  CODE(mxp_open(core, client, talk, none, NULL, 5), MXP_OK);
  uint64_t here = succeeded(core, 5);
  mxp_done opened = await_done(core, MXP_KIND_STREAM, LABEL);
  CODE(mxp_send(core, here, none, 2), MXP_BAD_VALUE);
  CODE(mxp_send(core, here, (mxp_bytes){NULL, 3}, 0), MXP_NULL_POINTER);
  CODE(mxp_respond(core, opened.id, none, NULL), MXP_BAD_STATE);
  CODE(mxp_respond(core, here, none, NULL), MXP_BAD_STATE);
  CODE(mxp_fail(core, here, &failure), MXP_BAD_STATE);
  CODE(mxp_end(core, here), MXP_OK);
  CODE(mxp_end(core, here), MXP_BAD_STATE);
  CODE(mxp_send(core, here, none, 0), MXP_BAD_STATE);
  CODE(mxp_send(core, opened.id, none, MXP_SEND_LAST), MXP_OK);
  CODE(mxp_send(core, opened.id, none, 0), MXP_BAD_STATE);
  mxp_done over = await_done(core, MXP_KIND_OVER, 5);
  CHECK(over.status == 0 && over.id == here && over.more == NULL);
  CODE(mxp_end(core, here), MXP_UNKNOWN_ID);
  CODE(mxp_send(core, here, none, 0), MXP_UNKNOWN_ID);
  CODE(mxp_reset(core, here), MXP_UNKNOWN_ID);
  CODE(mxp_end(core, client), MXP_UNKNOWN_ID);
  mxp_release(await_done(core, MXP_KIND_CHUNK, 5).owner);
  await_done(core, MXP_KIND_END, 5);
  await_done(core, MXP_KIND_END, LABEL);
  await_done(core, MXP_KIND_OVER, LABEL);
  mxp_release(opened.owner);
}

#ifndef _WIN32
static void refuse_forks(mxp_core *core, uint64_t client) {
  CODE(mxp_call(core, client, say, none, NULL, 5), MXP_OK);
  mxp_done request = await_done(core, MXP_KIND_CALL, LABEL);
  fflush(NULL);
  int can_start_threads = getenv("MXP_EMULATOR") == NULL;
  pid_t child = fork();
  if (child == 0) {
    refuse_all(core, MXP_CORE_FORKED);
    mxp_release(request.owner);
    if (can_start_threads) {
      mxp_core *own = core_of_test();
      CODE(mxp_core_state(own), MXP_OK);
      close_of_test(own);
    }
    _exit(0);
  }
  if (!can_start_threads) {
    printf("left out: a core of a forked process: QEMU ends where that starts threads\n");
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CODE(mxp_respond(core, request.id, none, NULL), MXP_OK);
  mxp_release(request.owner);
  succeeded(core, 5);
}
#endif

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  name_the_codes();
  refuse_all(NULL, MXP_NULL_POINTER);
  make_no_core();
  mxp_core *core = core_of_test();
  take_nothing(core);
  refuse_clients(core);
  refuse_servers(core);
  char address[256], bound[256];
  local_address(address, sizeof address, "misuse");
  uint64_t server = server_of_test(core, address, bound, NULL);
  uint64_t client = client_of_test(core, bound, NULL);
  refuse_requests(core, client, server);
  refuse_answers(core, client);
  refuse_chunks(core, client);
#ifndef _WIN32
  refuse_forks(core, client);
#endif
  CHECK(is_quiet(core));
  CODE(mxp_client_close(core, client, 6), MXP_OK);
  CODE(mxp_client_close(core, client, 7), MXP_UNKNOWN_ID);
  CODE(mxp_call(core, client, say, none, NULL, 7), MXP_UNKNOWN_ID);
  succeeded(core, 6);
  CODE(mxp_core_close(core, -1, 0), MXP_BAD_TAG);
  CODE(mxp_core_close(core, 1000000, 98), MXP_OK);
  refuse_all(core, MXP_CORE_CLOSED);
  mxp_done last = await_done(core, MXP_KIND_TAG, 98);
  CHECK(last.status == 0 && last.owner != NULL);
  refuse_all(core, MXP_CORE_CLOSED);
  CODE(mxp_cancel(core, 98), MXP_UNKNOWN_ID);
  CODE(mxp_send(core, 1, none, 0), MXP_UNKNOWN_ID);
  CODE(mxp_respond(core, 1, none, NULL), MXP_UNKNOWN_ID);
  mxp_done done;
  CHECK(mxp_take(core, &done, 1, -1) == 0);
  mxp_release(last.owner);
  printf("%u checks\n", checks);
  return 0;
}
