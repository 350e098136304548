/* Announcements, subscriptions and publishers, where no node is there; mxp/python/tests has those of a node. */
#include "host.h"

static const mxp_bytes none = {NULL, 0};
static const char broken_text[] = "\xff\xfe";

static char node[256];

static mxp_announce_options entry_of(const char *name) {
  mxp_announce_options entry = {.size = sizeof entry, .label = LABEL, .name = mxp_text_of(name), .node = mxp_text_of(node)};
  return entry;
}

static mxp_subscribe_options subscription(void) {
  mxp_subscribe_options options = {.size = sizeof options, .label = LABEL, .node = mxp_text_of(node)};
  return options;
}

static void refuse_entries(mxp_core *core) {
  mxp_failure why = {.size = sizeof why};
#define REFUSED(call, name_)                             \
  do {                                                   \
    CHECK((call) == 0 && is_text(why.name, name_));      \
    mxp_release(why.owner);                              \
  } while (0)
  REFUSED(mxp_announce(core, NULL, &why), "agent_invalid"); /* it has no name */
  mxp_announce_options entry = entry_of("a desk");
  REFUSED(mxp_announce(core, &entry, &why), "agent_invalid");
  entry = entry_of("desk");
  entry.flags = 1;
  REFUSED(mxp_announce(core, &entry, &why), "bad_value");
  entry = entry_of("desk");
  entry.lease_us = -1;
  REFUSED(mxp_announce(core, &entry, &why), "bad_value");
  entry = entry_of("desk");
  entry.size += 8;
  REFUSED(mxp_announce(core, &entry, &why), "bad_size");
  entry = entry_of("desk");
  entry.capability_count = 1;
  REFUSED(mxp_announce(core, &entry, &why), "null_pointer");
  mxp_text broken = {broken_text, 2};
  entry.capabilities = &broken;
  REFUSED(mxp_announce(core, &entry, &why), "bad_text");
  entry = entry_of("desk");
  entry.node = mxp_text_of("carrier-pigeon://roof");
  REFUSED(mxp_announce(core, &entry, &why), "address_invalid");
  mxp_subscribe_options options = subscription();
  REFUSED(mxp_subscribe(core, NULL, 1, &options, &why), "null_pointer");
  REFUSED(mxp_subscribe(core, &desk, 0, &options, &why), "system"); /* there are no events */
  mxp_service calls = {TEXT("test.Desk"), say, 1};
  REFUSED(mxp_subscribe(core, &calls, 1, &options, &why), "system");
  options.flags = 1;
  REFUSED(mxp_subscribe(core, &desk, 1, &options, &why), "bad_value");
  options = subscription();
  options.reserved = 1;
  REFUSED(mxp_subscribe(core, &desk, 1, &options, &why), "bad_value");
  options = subscription();
  options.start = MXP_START_TIME + 1;
  REFUSED(mxp_subscribe(core, &desk, 1, &options, &why), "bad_value");
  options.start = MXP_START_TIME;
  options.start_at = UINT64_MAX;
  REFUSED(mxp_subscribe(core, &desk, 1, &options, &why), "bad_value");
  options = subscription();
  options.consumer = broken;
  REFUSED(mxp_subscribe(core, &desk, 1, &options, &why), "bad_text");
  mxp_text address = mxp_text_of(node);
  mxp_client_options client = {.size = sizeof client, .flags = MXP_CLIENT_PUBLISHER, .addresses = &address, .address_count = 1};
  REFUSED(mxp_client_new(core, &client, &why), "bad_value");
  CODE(mxp_withdraw(core, 0, 7), MXP_UNKNOWN_ID);
  CODE(mxp_withdraw(core, UINT64_MAX, 7), MXP_UNKNOWN_ID);
}

/* Memberships that are withdrawn, behind which nothing comes. */
static void withdraw(mxp_core *core) {
  mxp_announce_options entry = entry_of("desk");
  mxp_subscribe_options options = subscription();
  uint64_t name = mxp_announce(core, &entry, NULL), heard = mxp_subscribe(core, &desk, 1, &options, NULL);
  CHECK(name != 0 && heard != 0 && name != heard);
  CODE(mxp_withdraw(core, name, 0), MXP_BAD_TAG);
  CODE(mxp_client_close(core, name, 7), MXP_UNKNOWN_ID);
  CODE(mxp_withdraw(core, name, 2), MXP_OK);
  CODE(mxp_withdraw(core, name, 3), MXP_UNKNOWN_ID);
  CODE(mxp_withdraw(core, heard, 3), MXP_OK);
  succeeded(core, 2);
  succeeded(core, 3);
  for (size_t i = 0; i < kept_count; i++) {
    CHECK(kept[i].kind == MXP_KIND_STANDING && kept[i].status != 0 && (kept[i].id == name || kept[i].id == heard));
    mxp_release(kept[i].owner);
  }
  kept_count = 0;
  CHECK(is_quiet(core));
  /* A library of an older header knows less of both. */
  entry.size = 32;
  entry.node = (mxp_text){broken_text, 2};
  options.size = 40;
  options.start = 77;
  name = mxp_announce(core, &entry, NULL);
  heard = mxp_subscribe(core, &desk, 1, &options, NULL);
  CHECK(name != 0 && heard != 0);
  /* A withdrawal that is cancelled ends at once, too, and may have ended before. */
  CODE(mxp_withdraw(core, heard, 4), MXP_OK);
  int32_t code = mxp_cancel(core, 4);
  CHECK(code == MXP_OK || code == MXP_UNKNOWN_ID);
  mxp_done done = await_done(core, MXP_KIND_TAG, 4);
  CHECK(done.status == 0 || (code == MXP_OK && is_failure(&done, 1, "cancelled")));
  mxp_release(done.owner);
  CODE(mxp_withdraw(core, heard, 4), MXP_UNKNOWN_ID);
}

/* A publisher refuses calls, and its events wait for the node. */
static void publish(mxp_core *core) {
  mxp_client_options options = {.size = sizeof options, .flags = MXP_CLIENT_PUBLISHER, .node = mxp_text_of(node), .connect_timeout_us = 50000};
  uint64_t client = mxp_client_new(core, &options, NULL);
  CHECK(client != 0);
  CODE(mxp_call(core, client, say, none, NULL, 2), MXP_OK);
  failed(core, 2, 12, "method_unknown");
  mxp_request_options request = {.size = sizeof request, .flags = MXP_REQUEST_ACKED, .event_id = TEXT("take 7")};
  CODE(mxp_event(core, client, note, none, &request, 2), MXP_OK);
  failed(core, 2, 14, "not_connected");
  request.event_id = (mxp_text){broken_text, 2};
  CODE(mxp_event(core, client, note, none, &request, 2), MXP_BAD_TEXT);
  request.size = 64; /* an older header has no id */
  CODE(mxp_event(core, client, note, none, &request, 2), MXP_OK);
  failed(core, 2, 14, "not_connected");
  CODE(mxp_client_close(core, client, 3), MXP_OK);
  succeeded(core, 3);
}

/* Queries, which a server without a directory refuses, and a node that is not there does not answer. */
static void find_agents(mxp_core *core) {
  mxp_client_options options = {.size = sizeof options, .flags = MXP_CLIENT_PUBLISHER, .node = mxp_text_of(node), .connect_timeout_us = 60000000};
  uint64_t client = mxp_client_new(core, &options, NULL);
  mxp_agent_query query = {.size = sizeof query, .timeout_us = 10000, .capability = TEXT("print"), .service = TEXT("test.Desk"), .name = TEXT("desk")};
  CODE(mxp_find_agents(core, client, &query, 2), MXP_OK);
  failed(core, 2, 14, "not_connected");
  CODE(mxp_find_agents(core, client, NULL, 2), MXP_OK);
  CODE(mxp_cancel(core, 2), MXP_OK);
  failed(core, 2, 1, "cancelled");
  query.name = (mxp_text){broken_text, 2};
  CODE(mxp_find_agents(core, client, &query, 2), MXP_BAD_TEXT);
  query.name = (mxp_text){NULL, 1};
  CODE(mxp_find_agents(core, client, &query, 2), MXP_NULL_POINTER);
  query.flags = 1;
  CODE(mxp_find_agents(core, client, &query, 2), MXP_BAD_VALUE);
  query.size += 8;
  CODE(mxp_find_agents(core, client, &query, 2), MXP_BAD_SIZE);
  query = (mxp_agent_query){.size = 8};
  CODE(mxp_find_agents(core, client, &query, 0), MXP_BAD_TAG);
  CODE(mxp_find_agents(core, 0, &query, 2), MXP_UNKNOWN_ID);
  CODE(mxp_client_close(core, client, 3), MXP_OK);
  succeeded(core, 3);
  char address[256], bound[256];
  local_address(address, sizeof address, "bare");
  uint64_t server = server_of_test(core, address, bound, NULL);
  client = client_of_test(core, bound, NULL);
  CODE(mxp_find_agents(core, client, &query, 2), MXP_OK);
  failed(core, 2, 12, "agents_off");
  CODE(mxp_client_close(core, client, 3), MXP_OK);
  succeeded(core, 3);
  CODE(mxp_drain(core, server, query.name, 3), MXP_OK);
  succeeded(core, 3);
}

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  local_address(node, sizeof node, "none");
  mxp_core *core = core_of_test();
  refuse_entries(core);
  withdraw(core);
  publish(core);
  find_agents(core);
  mxp_announce_options entry = entry_of("last");
  mxp_subscribe_options options = subscription();
  CHECK(mxp_announce(core, &entry, NULL) != 0 && mxp_subscribe(core, &desk, 1, &options, NULL) != 0);
  close_of_test(core); /* with both */
  printf("%u checks\n", checks);
  return 0;
}
