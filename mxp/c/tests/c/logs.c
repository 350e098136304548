/* Lines of the log: their levels, their fields, and a host that takes none. */
#include "host.h"

static const mxp_bytes none = {NULL, 0};

static mxp_core *core_with_log(uint32_t level) {
  mxp_core *core = NULL;
  mxp_core_options options = {.size = sizeof options, .log_level = level};
  CODE(mxp_core_new(&options, &core, NULL), MXP_OK);
  return core;
}

/* The value of a field of a line; empty where it has none. */
static mxp_text field(const mxp_done *line, const char *name) {
  mxp_text found = {NULL, 0};
  CHECK(line->kind == MXP_KIND_LOG && line->more != NULL && line->tag == 0 && line->id == 0);
  for (size_t i = 0; i < line->more->metadata.count; i++) {
    const mxp_pair *pair = &line->more->metadata.items[i];
    if (is_text(pair->key, name)) {
      found = (mxp_text){(const char *)pair->value.data, pair->value.length};
    }
  }
  return found;
}

/* Awaits a line of the log, and forgets the lines before it. */
static mxp_done await_line(mxp_core *core, const char *text) {
  for (;;) {
    mxp_done line = await_done(core, MXP_KIND_LOG, 0);
    if (is_value(&line, text)) {
      return line;
    }
    mxp_release(line.owner);
  }
}

static void refuse_levels(void) {
  mxp_core *core = NULL;
  mxp_core_options options = {.size = sizeof options, .log_level = MXP_LOG_DEBUG + 1};
  CODE(mxp_core_new(&options, &core, NULL), MXP_BAD_VALUE);
  options = (mxp_core_options){.size = sizeof options, .reserved = 1};
  CODE(mxp_core_new(&options, &core, NULL), MXP_BAD_VALUE);
  /* A struct that ends before the level is one of an older header. */
  options = (mxp_core_options){.size = 16, .log_level = 77, .reserved = 77};
  CODE(mxp_core_new(&options, &core, NULL), MXP_OK);
  close_of_test(core);
}

/* Connects two cores of a level, calls a method that there is not, and disconnects. */
static void tell_of_connections(uint32_t level) {
  mxp_core *here = core_with_log(level), *there = core_with_log(level);
  char address[256], bound[256];
  local_address(address, sizeof address, "log");
  uint64_t server = server_of_test(there, address, bound, NULL);
  uint64_t client = client_of_test(here, bound, NULL);
  mxp_method unknown = *say;
  unknown.number = 99;
  CODE(mxp_call(here, client, &unknown, none, NULL, 2), MXP_OK);
  failed(here, 2, 12, "method_unknown");
  mxp_done line;
  if (level >= MXP_LOG_INFO) {
    line = await_line(here, "connected");
    CHECK(line.status == MXP_LOG_INFO && is_text(field(&line, "peer"), address));
    mxp_release(line.owner);
    line = await_line(there, "connection opened");
    CHECK(line.status == MXP_LOG_INFO && field(&line, "peer").length > 0 && field(&line, "id").length > 0);
    mxp_release(line.owner);
  }
  if (level >= MXP_LOG_WARN) {
    line = await_line(there, "a request was refused");
    CHECK(line.status == MXP_LOG_WARN && is_text(field(&line, "name"), "method_unknown"));
    CHECK(is_text(field(&line, "method"), "test.Desk/99") && field(&line, "peer").length > 0);
    mxp_release(line.owner);
  }
  CODE(mxp_client_close(here, client, 3), MXP_OK);
  succeeded(here, 3);
  CODE(mxp_drain(there, server, mxp_text_of(""), 3), MXP_OK);
  succeeded(there, 3);
  while (level >= MXP_LOG_INFO && kept_count > 0) {
    mxp_release(kept[--kept_count].owner);
  }
  CHECK(kept_count == 0); /* there is no line of a higher level */
  close_of_test(here);
  close_of_test(there);
}

/* Lines beyond the room are lost, and the next line says how many. */
static void lose_lines(void) {
  enum { CALLS = 1500, ROOM = 1024 };
  mxp_core *here = core_of_test(), *there = core_with_log(MXP_LOG_WARN);
  char address[256], bound[256];
  local_address(address, sizeof address, "lost");
  server_of_test(there, address, bound, NULL);
  uint64_t client = client_of_test(here, bound, NULL);
  mxp_method unknown = *say;
  unknown.number = 99;
  for (uint64_t tag = 1000; tag < 1000 + CALLS; tag++) {
    CODE(mxp_call(here, client, &unknown, none, NULL, tag), MXP_OK);
    failed(here, tag, 12, "method_unknown");
  }
  mxp_stats stats = {.size = sizeof stats};
  CODE(mxp_core_stats(there, &stats), MXP_OK);
  CHECK(stats.queued == ROOM);
  for (int i = 0; i < ROOM; i++) {
    mxp_done line = await_done(there, MXP_KIND_LOG, 0);
    CHECK(field(&line, "lost").length == 0);
    mxp_release(line.owner);
  }
  CODE(mxp_call(here, client, &unknown, none, NULL, 2), MXP_OK);
  failed(here, 2, 12, "method_unknown");
  mxp_done line = await_done(there, MXP_KIND_LOG, 0);
  CHECK(is_text(field(&line, "lost"), "476"));
  mxp_release(line.owner);
  close_of_test(here);
  close_of_test(there);
}

int main(int count, char **arguments) {
  if (!begin_tests(count, arguments)) {
    return 2;
  }
  refuse_levels();
  for (uint32_t level = MXP_LOG_NONE; level <= MXP_LOG_DEBUG; level++) {
    tell_of_connections(level);
  }
  lose_lines();
  printf("%u checks\n", checks);
  return 0;
}
