/* A measurement of calls: a server in a process of its own, and a client that keeps some calls in flight.
 *
 *   load IN_FLIGHT CALLS BYTES [ADDRESS]
 *
 * It prints the time of a call at percentiles, and the processor time of both processes for each call. With an address, the
 * server is another program's, and the processor time is the client's alone. */
#define _DEFAULT_SOURCE

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mxp.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

static const mxp_method echo = {.service = TEXT("demo.Echo"), .name = TEXT("say"), .number = 1, .kind = MXP_METHOD_CALL};
static const mxp_service service = {TEXT("demo.Echo"), &echo, 1};

static void check(int is_good, const char *action) {
  if (!is_good) {
    fprintf(stderr, "%s has failed\n", action);
    exit(1);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double processor_time(const struct rusage *used) {
  return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1e6 + (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
}

/* Waits until the core has something, as a host with a loop of its own does. */
static size_t taken(mxp_core *core, mxp_done *done, size_t room) {
  struct pollfd waits = {.fd = (int)mxp_core_waitable(core), .events = POLLIN};
  size_t count;
  while ((count = mxp_take(core, done, room, 0)) == 0) {
    poll(&waits, 1, -1);
  }
  return count;
}

static void serve(const char *address) {
  mxp_core *core;
  check(mxp_core_new(NULL, &core, NULL) == MXP_OK, "core");
  uint64_t server = mxp_server_new(core, &service, 1, NULL, NULL);
  check(mxp_listen(core, server, mxp_text_of(address), 1) == MXP_OK, "listen");
  for (;;) {
    mxp_done done[64];
    size_t count = taken(core, done, 64);
    for (size_t i = 0; i < count; i++) {
      if (done[i].kind == MXP_KIND_CALL) {
        mxp_respond(core, done[i].id, done[i].value, NULL);
      } else {
        check(done[i].status == 0, "listen");
      }
      mxp_release(done[i].owner);
    }
  }
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

/* Makes calls, whose times are noted where there is a place for them. */
static void call(mxp_core *core, uint64_t client, size_t in_flight, size_t calls, mxp_bytes value, double *times) {
  double *begun = malloc(in_flight * sizeof *begun);
  size_t made = 0, ended = 0;
  for (; made < in_flight && made < calls; made++) {
    begun[made] = now();
    check(mxp_call(core, client, &echo, value, NULL, 1 + made) == MXP_OK, "call");
  }
  while (ended < calls) {
    mxp_done done[64];
    size_t count = taken(core, done, 64);
    for (size_t i = 0; i < count; i++) {
      check(done[i].status == 0 && done[i].value.length == value.length, "call");
      mxp_release(done[i].owner);
      double *begin = &begun[done[i].tag - 1];
      times[ended++] = now() - *begin;
      if (made < calls) {
        *begin = now();
        check(mxp_call(core, client, &echo, value, NULL, done[i].tag) == MXP_OK, "call");
        made++;
      }
    }
  }
  free(begun);
}

int main(int count, char **arguments) {
  if (count < 4) {
    fprintf(stderr, "usage: %s IN_FLIGHT CALLS BYTES [ADDRESS]\n", arguments[0]);
    return 2;
  }
  size_t in_flight = strtoul(arguments[1], NULL, 10), calls = strtoul(arguments[2], NULL, 10), size = strtoul(arguments[3], NULL, 10);
  char own[64];
  snprintf(own, sizeof own, "mxp+unix:///tmp/mxp-load-%d.sock", (int)getpid());
  const char *address = count > 4 ? arguments[4] : own;
  pid_t server = count > 4 ? 0 : fork();
  if (server == 0 && count <= 4) {
    serve(address);
  }
  mxp_core *core;
  check(mxp_core_new(NULL, &core, NULL) == MXP_OK, "core");
  mxp_text text = mxp_text_of(address);
  mxp_client_options options = {.size = sizeof options, .addresses = &text, .address_count = 1};
  uint64_t client = mxp_client_new(core, &options, NULL);
  mxp_bytes value = {calloc(size + 1, 1), size};
  double *times = malloc((calls + 1) * sizeof *times);
  call(core, client, in_flight, calls / 10 + 1, value, times);
  struct rusage before, behind;
  getrusage(RUSAGE_SELF, &before);
  double begin = now();
  call(core, client, in_flight, calls, value, times);
  double all = now() - begin;
  getrusage(RUSAGE_SELF, &behind);
  double client_us = (processor_time(&behind) - processor_time(&before)) / (double)calls, server_us = 0;
  if (server > 0) {
    struct rusage used;
    kill(server, SIGTERM);
    wait4(server, NULL, 0, &used);
    server_us = processor_time(&used) / ((double)calls * 1.1); /* the calls before the measurement are its, too */
    unlink(own + strlen("mxp+unix://"));
  }
  qsort(times, calls, sizeof *times, compare);
  printf("in flight %zu, %zu bytes: p5 %.1f us, p50 %.1f us, p99 %.1f us, %.0f calls/s, processor %.2f us a call (client %.2f, server %.2f)\n",
         in_flight, size, times[calls / 20], times[calls / 2], times[calls * 99 / 100], (double)calls / all * 1e6, client_us + server_us,
         client_us, server_us);
  return 0;
}
