/* MXP for C: calls, events and streams between programs.
 *
 * A core has a thread of its own, which connects, listens, reads and writes. The host's threads begin operations, and take
 * their completions out of a queue. No function of the host ever runs on the core's thread.
 *
 *   mxp_core *core;
 *   mxp_core_new(NULL, &core, NULL);
 *   mxp_text address = mxp_text_of("mxp+unix:///run/desk.sock");
 *   mxp_client_options options = {.size = sizeof options, .addresses = &address, .address_count = 1};
 *   uint64_t client = mxp_client_new(core, &options, NULL);
 *   mxp_call(core, client, &gain, value, NULL, 1);
 *   mxp_done done;
 *   while (mxp_take(core, &done, 1, -1) == 1) { ...; mxp_release(done.owner); }
 *
 * Tags. An operation has a tag: a number that the host chooses, other than 0, which no operation in flight has. Where a
 * function with a tag returns MXP_OK, the queue has exactly one completion of the kind MXP_KIND_TAG with it, sooner or later:
 * also after a cancellation, a drain, or the end of the core. Where it returns another code, it has done nothing, and no
 * completion comes. A tag is free again as soon as its completion was taken.
 *
 * Ids. Clients, servers, requests and streams are numbers that the core chooses, from 1 on; a core never gives one twice. An
 * id that is unknown, or is no more, is refused with MXP_UNKNOWN_ID.
 *
 * Memory. A function copies all that it is given before it returns. All pointers in a completion or a failure are borrowed
 * from its owner, until mxp_release(owner) is called, once, on any thread. Values outlive their core.
 *
 * Sizes. Structs of options begin with `size`, the size of the struct as the host knows it: a multiple of 8, and no larger
 * than the library's. Fields behind it have their defaults, and so has a field that is zero.
 *
 * Texts are UTF-8 with a length, and have no zero at their end. A null pointer with the length 0 is an empty text, no bytes,
 * or an empty array.
 *
 * Threads. All functions may be called on any thread at any time, except on a core that was released.
 *
 * Forks. A core belongs to the process that has made it. In a fork of that process all functions of the core refuse with
 * MXP_CORE_FORKED, before they look at anything that a lost thread may have locked. The child makes a core of its own.
 *
 * Errors. Functions never abort and never wait, except mxp_take with a time. A null pointer, a wrong size, a text that is no
 * UTF-8 end in a code. Pointers that are neither null nor valid are undefined behaviour, as everywhere in C.
 */
#ifndef MXP_H
#define MXP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface; mxp_abi() is that of the library. Another one has other structs or rules. */
#define MXP_ABI 1

/* Codes of functions. mxp_code_name has their names. */
enum {
  MXP_OK = 0,            /* done, or begun */
  MXP_WOULD_BLOCK = 1,   /* the stream has no room: MXP_KIND_CREDIT follows as soon as it has */
  MXP_NULL_POINTER = 2,  /* a pointer is null that may not be */
  MXP_BAD_SIZE = 3,      /* the size of a struct is impossible */
  MXP_BAD_TEXT = 4,      /* a text is no UTF-8 */
  MXP_BAD_VALUE = 5,     /* a number, a flag or a kind of method is out of place */
  MXP_BAD_TAG = 6,       /* the tag is 0, or in flight */
  MXP_UNKNOWN_ID = 7,    /* nothing has this id or this tag, or has it any more */
  MXP_BAD_STATE = 8,     /* the object does not do this, or not now */
  MXP_CORE_CLOSED = 9,   /* the core closes, or is closed */
  MXP_CORE_FORKED = 10,  /* the core belongs to the parent of this process */
  MXP_REFUSED = 11,      /* nothing was made: the failure says why */
  MXP_INTERNAL = 12      /* a defect of the library */
};

/* Kinds of completions. Kinds from MXP_KIND_CALL on answer no tag: their `tag` is the label of the server, or for a stream
 * that was opened here, the tag with which it was opened. */
enum {
  MXP_KIND_TAG = 1,    /* the operation with this tag has ended; status 0 is success */
  MXP_KIND_CALL = 2,   /* a peer calls: id is answered by mxp_respond or mxp_fail */
  MXP_KIND_EVENT = 3,  /* a peer tells an event; id is 0, or is answered where the method has MXP_METHOD_CONFIRM */
  MXP_KIND_STREAM = 4, /* a peer opens a stream: id is the stream, value the request */
  MXP_KIND_GONE = 5,   /* nobody waits for an answer to the request id any more, which is no more */
  MXP_KIND_CHUNK = 6,  /* the stream id has received value; the peer sends on as owners are released */
  MXP_KIND_END = 7,    /* the peer's direction of the stream id has ended */
  MXP_KIND_CREDIT = 8, /* the stream id takes chunks again, which was full */
  MXP_KIND_OVER = 9,   /* the stream id is over, and is no more: its last completion, in any case */
  MXP_KIND_LOG = 10,   /* a line of the log: its level as status, its text as value, its fields as metadata */
  MXP_KIND_STANDING = 11, /* the announcement or subscription id is there, with its epoch in `more`; or is lost, with a failure */
  MXP_KIND_UNKNOWN = 12   /* a peer has asked for a method that its service lacks, and was refused; id is 0 */
};

/* Levels of the log. */
enum { MXP_LOG_NONE = 0, MXP_LOG_ERROR = 1, MXP_LOG_WARN = 2, MXP_LOG_INFO = 3, MXP_LOG_DEBUG = 4 };

/* Kinds of methods. */
enum { MXP_METHOD_CALL = 1, MXP_METHOD_EVENT = 2, MXP_METHOD_STREAM = 3 };

/* Flags of methods. */
enum {
  MXP_METHOD_IDEMPOTENT = 1, /* to ask twice does what asking once does */
  MXP_METHOD_CONFIRM = 2,    /* of an event: the host answers each, and the next of its connection waits for that */
  MXP_METHOD_ONE_REQUEST = 4, /* of a stream: the client sends one value, which reflection says */
  MXP_METHOD_ONE_RESPONSE = 8 /* of a stream: the server sends one */
};

/* Flags of requests. */
enum {
  MXP_REQUEST_ACKED = 1, /* of an event: completed when the peer has taken it, not when it was queued */
  MXP_REQUEST_END = 2,   /* of a stream: this side sends nothing behind the request */
  MXP_REQUEST_TRACE = 4  /* the fields of the trace count */
};

/* Policies of an event for a full queue. */
enum { MXP_FULL_WAIT = 0, MXP_FULL_REFUSE = 1, MXP_FULL_DROP_NEWEST = 2, MXP_FULL_DROP_OLDEST = 3 };

/* Flags of chunks. */
enum { MXP_SEND_LAST = 1 /* this side's direction ends behind the chunk */ };

/* Flags of clients. */
enum { MXP_CLIENT_PUBLISHER = 1 /* its events go to all who subscribe, by the node of the program; it has no addresses */ };

/* Places where a new consumer of durable events begins. */
enum {
  MXP_START_NEW = 0,    /* with events that are published from now on */
  MXP_START_FIRST = 1,  /* with the oldest that is kept */
  MXP_START_NUMBER = 2, /* with the event of a number, or the first behind it */
  MXP_START_TIME = 3    /* with the first that was published at a time, or behind it */
};

/* Flags of servers. */
enum {
  MXP_SERVER_OTHER_USERS = 1, /* programs of other users may connect to unix sockets */
  MXP_SERVER_REFLECTION = 2,  /* the server lists its services for clients */
  MXP_SERVER_HEALTH = 4,      /* the server tells its health, which is bad while the host is stuck */
  MXP_SERVER_UNKNOWN = 8      /* MXP_KIND_UNKNOWN comes, unless 1,024 events are in the queue */
};

/* A core. It is made by mxp_core_new, and gone when the owner of its last completion is released. */
typedef struct mxp_core mxp_core;

/* Text: UTF-8, without a zero at the end. */
typedef struct mxp_text {
  const char *data;
  size_t length; /* in bytes */
} mxp_text;

/* Bytes of any content. */
typedef struct mxp_bytes {
  const uint8_t *data;
  size_t length;
} mxp_bytes;

/* A key and a value that travel beside a request or an answer. */
typedef struct mxp_pair {
  mxp_text key;
  mxp_bytes value;
} mxp_pair;

/* Keys and values, in order. */
typedef struct mxp_pairs {
  const mxp_pair *items;
  size_t count;
} mxp_pairs;

/* A type of a schema, by the facts that generated code has of it and the handshake compares. */
typedef struct mxp_type {
  mxp_text name; /* the full name: package, dot, name */
  const uint64_t *fingerprints; /* of its segments, in order */
  size_t count;                 /* of fingerprints */
  mxp_text layout;              /* the layout text */
} mxp_type;

/* A method of a service. */
typedef struct mxp_method {
  mxp_text service; /* the full name of its service */
  mxp_text name;    /* its name; empty where only the number is known */
  uint32_t number;  /* in the service, at most 65,535 */
  uint32_t kind;    /* MXP_METHOD_CALL, MXP_METHOD_EVENT or MXP_METHOD_STREAM */
  uint32_t flags;   /* MXP_METHOD_IDEMPOTENT, MXP_METHOD_CONFIRM, … */
  uint32_t reserved; /* 0 */
  const mxp_type *request;  /* the type of requests; NULL where schemas are not compared */
  const mxp_type *response; /* the type of responses; NULL where there are none */
} mxp_method;

/* A service: a table of methods, whose `service` is not looked at. */
typedef struct mxp_service {
  mxp_text name; /* the full name: package, dot, name */
  const mxp_method *methods;
  size_t count; /* of methods */
} mxp_service;

/* Paths of files in the form PEM, by which mxp+tls is spoken. They are read while the client or server is made. */
typedef struct mxp_tls_options {
  uint32_t size;
  uint32_t flags;       /* 0 */
  mxp_text authority;   /* of a client: the trusted authorities; of a server: those of its clients, or empty to let all in */
  mxp_text certificate; /* the own certificate and its chain; empty for a client that shows none */
  mxp_text key;         /* its private key */
} mxp_tls_options;

/* A policy of repetitions: of calls and acknowledged events that end with the status 14, if nobody has acted on them, or if
 * their method has MXP_METHOD_IDEMPOTENT. */
typedef struct mxp_retry_options {
  uint32_t size;
  uint32_t attempts;         /* at most, with the first; 0: 3 */
  int64_t least_pause_us;    /* before the first repetition, doubled before each further; 0: 10 ms */
  int64_t greatest_pause_us; /* 0: 1 s */
  double budget;             /* repetitions that each request allows, of which 10 are saved up; 0: 0.1; negative: none */
  int64_t timeout_us;        /* the deadline of requests that have none; 0: none */
  int64_t hedge_us;          /* a call of an idempotent method is made twice if it takes longer; 0: never */
} mxp_retry_options;

/* The rules of mxp+ws and mxp+wss, of a library with the feature websocket. */
typedef struct mxp_websocket_options {
  uint32_t size;
  uint32_t flags; /* 0 */
  mxp_text token; /* shown by clients, and wanted by servers; empty: none */
  const mxp_text *hosts; /* of a server: names beside loopback addresses, without ports */
  size_t host_count;
  const mxp_text *origins; /* of a server: pages that may connect, as https://studio.example */
  size_t origin_count;
  uint64_t origin_connections; /* of pages of one origin at most; 0: 64 */
} mxp_websocket_options;

/* Options of a core. */
typedef struct mxp_core_options {
  uint32_t size;
  uint32_t flags;   /* 0 */
  int64_t stuck_us; /* a host that takes nothing for longer, while there is something, is stuck; 0: 10 s; negative: never */
  uint32_t log_level; /* MXP_LOG_…: lines up to it come as completions. 1,024 are in the queue at most; the next line has "lost" */
  uint32_t reserved;  /* 0 */
} mxp_core_options;

/* Options of a client. */
typedef struct mxp_client_options {
  uint32_t size;
  uint32_t flags;            /* MXP_CLIENT_… */
  const mxp_text *addresses; /* mxp+unix:///path, mxp+tcp://host:port, mxp+tls://host:port; needed. By features of the library,
                              * mxp+shm:///path, mxp+ws://host:port/path, mxp+wss://host:port/path. mesh:///name or
                              * mesh:///?capability=C&service=S stands alone */
  size_t address_count;      /* of several, each request takes one */
  const mxp_service *services; /* services that are called, whose types are compared; may be NULL */
  size_t service_count;
  const mxp_tls_options *tls; /* NULL: no TLS */
  int64_t connect_timeout_us; /* how long a request waits for a connection; 0: 5 s; negative: no limit */
  uint64_t memory_bytes;      /* what all connections hold at most; 0: a quarter of the machine's memory */
  uint32_t connections;       /* to each address; 0: 1 */
  uint32_t waiting;           /* requests that wait for a connection at most; 0: 1,024 */
  const mxp_retry_options *retry;         /* NULL: none */
  const mxp_websocket_options *websocket; /* NULL: no token */
  mxp_text node; /* the address of the node that is asked for agents; empty: MXP_MESH, or the known sockets */
} mxp_client_options;

/* Options of a server. */
typedef struct mxp_server_options {
  uint32_t size;
  uint32_t flags;             /* MXP_SERVER_… */
  uint64_t label;             /* the `tag` of its requests and streams */
  const mxp_tls_options *tls; /* NULL: no TLS */
  uint64_t memory_bytes;      /* what all connections hold at most; 0: a quarter of the machine's memory */
  uint64_t connections;       /* at most; 0: 16,384 */
  const mxp_websocket_options *websocket; /* NULL: loopback addresses alone, and no token */
} mxp_server_options;

/* Options of a call, an event or a stream. */
typedef struct mxp_request_options {
  uint32_t size;
  uint32_t flags;            /* MXP_REQUEST_… */
  int64_t timeout_us;        /* the deadline, from now on; 0 or negative: none */
  const mxp_pairs *metadata; /* NULL: none */
  uint8_t trace_id[16];      /* W3C's trace-id */
  uint64_t trace_parent;     /* the span in which the request is made */
  uint32_t trace_flags;      /* at most 255; bit 1: sampled */
  uint32_t when_full;        /* of an event: MXP_FULL_… */
  mxp_text event_id; /* of a publisher's event with MXP_REQUEST_ACKED: kept once, if it is published again in ten minutes */
} mxp_request_options;

/* A program's entry in the directory of its node. Names and capabilities are letters, digits, - and _, with dots between. */
typedef struct mxp_announce_options {
  uint32_t size;
  uint32_t flags; /* 0 */
  uint64_t label; /* the `tag` of its MXP_KIND_STANDING */
  mxp_text name;  /* of the agent; needed */
  const mxp_text *capabilities;
  size_t capability_count;
  const mxp_text *services; /* the full names of the services that it serves */
  size_t service_count;
  const mxp_text *addresses; /* at which others reach it, the best first */
  size_t address_count;
  int64_t lease_us;           /* 0: 10 s */
  mxp_text node;              /* the address of the node; empty: MXP_MESH, or the known sockets */
  const mxp_tls_options *tls; /* NULL: no TLS */
} mxp_announce_options;

/* A query for agents, which match all of its texts; an empty text matches any. */
typedef struct mxp_agent_query {
  uint32_t size;
  uint32_t flags; /* 0 */
  mxp_text name;
  mxp_text capability;
  mxp_text service;   /* the full name of a service that they serve */
  uint64_t version;   /* the answer comes when the agents are others than in the answer of this version; 0: at once */
  int64_t timeout_us; /* 0 or negative: none */
} mxp_agent_query;

/* Options of a subscription. */
typedef struct mxp_subscribe_options {
  uint32_t size;
  uint32_t flags;             /* 0 */
  uint64_t label;             /* the `tag` of its events and its MXP_KIND_STANDING */
  mxp_text node;              /* the address of the node; empty: MXP_MESH, or the known sockets */
  const mxp_tls_options *tls; /* NULL: no TLS */
  mxp_text consumer;   /* durable: those of the same name share the events; empty: events as they are published */
  uint64_t start_at;   /* a number, or nanoseconds since 1970 */
  uint32_t start;      /* MXP_START_… */
  uint32_t unsettled;  /* durable events that were not answered at most; 0: 256 */
  uint32_t deliveries; /* of a durable event, before it goes to the dead letters; 0: 5 */
  uint32_t reserved;   /* 0 */
} mxp_subscribe_options;

/* A failure. As a result, the host sets `size` before the call, and releases `owner` behind it; a struct of another size is
 * left as it is. As an argument, `owner` is not looked at. */
typedef struct mxp_failure {
  uint32_t size;
  uint32_t status;   /* the kind of failure, as gRPC numbers them; never 0 */
  uint32_t acted;    /* 0: nobody has acted on the request; 1: somebody may have */
  uint32_t reserved; /* 0 */
  mxp_text name;     /* for programs */
  mxp_text text;     /* for people */
  mxp_bytes details; /* more, for programs */
  void *owner;
} mxp_failure;

/* The parts of a completion that few have. */
typedef struct mxp_more {
  uint32_t size;     /* of the struct, as the library has filled it */
  uint32_t acted;    /* of a failure: as in mxp_failure */
  mxp_text name;     /* of a failure */
  mxp_text text;     /* of a failure */
  mxp_bytes details; /* of a failure */
  mxp_text peer;     /* the address of the other side, where it has one */
  mxp_pairs metadata; /* beside a request or an answer */
  int64_t timeout_us; /* of a request: how long the peer waits; -1: without a limit */
  uint8_t trace_id[16];
  uint64_t trace_parent;
  uint32_t trace_flags;
  uint32_t has_trace; /* 1 where the fields of the trace count */
  uint64_t epoch;     /* of MXP_KIND_STANDING: greater than those of earlier owners of the name; 0 of a subscription */
  uint64_t event_number;   /* of a durable event of a mesh; 0 of another */
  int64_t event_at_ns;     /* when it was published, in nanoseconds since 1970 */
  uint64_t events_dropped; /* since the event before, because the host was too slow */
  uint32_t deliveries;     /* of the event, with this one */
  uint32_t has_delivery;   /* 1 where the four fields before count */
} mxp_more;

/* Counts of a core, at one moment. */
typedef struct mxp_stats {
  uint32_t size;       /* set by the host before the call */
  uint32_t is_stuck;   /* 1 for a host that is stuck */
  int64_t untaken_us;  /* for how long there has been something that the host does not take; 0: there is nothing */
  uint64_t queued;     /* completions in the queue */
  uint64_t operations; /* tags in flight */
  uint64_t requests;   /* requests that wait for the host's answer */
  uint64_t streams;    /* of both sides */
  uint64_t clients;
  uint64_t servers;
} mxp_stats;

/* A completion. */
typedef struct mxp_done {
  uint32_t kind;   /* MXP_KIND_… */
  uint32_t status; /* of MXP_KIND_TAG and MXP_KIND_OVER: 0 for success, else as in mxp_failure, and `more` is there */
  uint64_t tag;
  uint64_t id;      /* the request or stream; of a tag of mxp_open the stream */
  uint32_t service; /* of a request: the place of its service in the table of the server */
  uint32_t method;  /* of a request: its number */
  mxp_bytes value;
  const mxp_more *more; /* NULL where there is nothing in it */
  void *owner;          /* of all pointers above; NULL where there are none */
} mxp_done;

/* The version of the library's interface. A host compares it with MXP_ABI. */
uint32_t mxp_abi(void);

/* The name of a code, as "core_forked", of static memory. Empty for a number that is no code. */
mxp_text mxp_code_name(int32_t code);

/* Makes a core and its thread, on which all signals are blocked. `options` may be NULL, and `failure`, too. MXP_REFUSED: the
 * system has no thread or no descriptor left. */
int32_t mxp_core_new(const mxp_core_options *options, mxp_core **out, mxp_failure *failure);

/* MXP_OK for a core that begins operations; else MXP_CORE_CLOSED, MXP_CORE_FORKED or MXP_NULL_POINTER. */
int32_t mxp_core_state(const mxp_core *core);

/* Fills the counts of a core. MXP_BAD_SIZE: the library has other counts. */
int32_t mxp_core_stats(const mxp_core *core, mxp_stats *out);

/* The descriptor that is readable while the queue is not empty: an eventfd on Linux, else one of a pair of sockets. The host
 * waits for it by poll, epoll or kqueue, and never reads or closes it. On Windows it is the handle of an event that is set
 * meanwhile, for WaitForSingleObject; the host never resets or closes it. -1 for no core, or in a fork. */
intptr_t mxp_core_waitable(const mxp_core *core);

/* Takes up to `room` completions out of the queue, in order, and returns how many. With an empty queue it waits for so many
 * microseconds: not at all for 0, without a limit for a negative number. 0: there was nothing in time; or nothing can come,
 * since the core is closed, forked or NULL, or `out` is NULL. */
size_t mxp_take(mxp_core *core, mxp_done *out, size_t room, int64_t timeout_us);

/* Gives back the memory of a completion or of a failure. NULL is nothing. */
void mxp_release(void *owner);

/* Ends a core. Nothing new is begun from now on. All clients and servers drain, for so many microseconds at most (0: not at
 * all; negative: without a limit), in which the host answers requests and takes completions as before. Then all that is left
 * ends: operations with the failure "core_closed", requests by MXP_KIND_GONE, streams by MXP_KIND_OVER. The completion of this
 * tag is the core's last, and its owner is the core itself: mxp_release frees it, once no other thread uses it. */
int32_t mxp_core_close(mxp_core *core, int64_t timeout_us, uint64_t tag);

/* Makes a client, which connects as soon as it can, and again whenever its connection is lost. 0 where it can't be made. */
uint64_t mxp_client_new(mxp_core *core, const mxp_client_options *options, mxp_failure *failure);

/* Closes a client: it begins nothing more. Completed when all its requests have ended; a cancellation closes it at once. */
int32_t mxp_client_close(mxp_core *core, uint64_t client, uint64_t tag);

/* Asks for agents: the directory of a client's server, or of its node where the client is a publisher. Completed with the message
 * Agents of spec/registry.sdp in `value`. `query` may be NULL. */
int32_t mxp_find_agents(mxp_core *core, uint64_t client, const mxp_agent_query *query, uint64_t tag);

/* Calls a method. Completed with the answer in `value`, and with `more` for metadata. `options` may be NULL. */
int32_t mxp_call(mxp_core *core, uint64_t client, const mxp_method *method, mxp_bytes value,
                 const mxp_request_options *options, uint64_t tag);

/* Tells an event. Completed when it was queued, or with MXP_REQUEST_ACKED when the peer has taken it. The tag may be 0 here:
 * then no completion comes. */
int32_t mxp_event(mxp_core *core, uint64_t client, const mxp_method *method, mxp_bytes value,
                  const mxp_request_options *options, uint64_t tag);

/* Opens a stream with its request. Completed with the stream as `id`. Its completions have the tag of this call, and begin
 * behind that one. */
int32_t mxp_open(mxp_core *core, uint64_t client, const mxp_method *method, mxp_bytes value,
                 const mxp_request_options *options, uint64_t tag);

/* Cancels the operation of a tag, if it has not ended: it is completed with the status 1 ("cancelled"), or as it has ended
 * meanwhile. A core that closes is not cancelled. */
int32_t mxp_cancel(mxp_core *core, uint64_t tag);

/* Sends a chunk on a stream. MXP_WOULD_BLOCK: the stream has as much as it takes; the chunk was not sent, and
 * MXP_KIND_CREDIT follows. A chunk larger than the window of the receiver ends the stream. `flags`: MXP_SEND_LAST. */
int32_t mxp_send(mxp_core *core, uint64_t stream, mxp_bytes chunk, uint32_t flags);

/* Ends this side's direction of a stream, behind all sent chunks. A stream is over when both directions have ended. */
int32_t mxp_end(mxp_core *core, uint64_t stream);

/* Ends both directions of a stream at once, with the status 1 ("cancelled"). Chunks in the queue can still be taken. */
int32_t mxp_reset(mxp_core *core, uint64_t stream);

/* Makes a server of services, which listens nowhere yet. 0 where it can't be made. */
uint64_t mxp_server_new(mxp_core *core, const mxp_service *services, size_t count, const mxp_server_options *options,
                        mxp_failure *failure);

/* Listens at an address, one of any number. Completed with the address in `value`: with the port that the system has chosen
 * for port 0. */
int32_t mxp_listen(mxp_core *core, uint64_t server, mxp_text address, uint64_t tag);

/* Answers a call, or confirms an event. `metadata` may be NULL. MXP_UNKNOWN_ID: the request was answered, or is gone. */
int32_t mxp_respond(mxp_core *core, uint64_t request, mxp_bytes value, const mxp_pairs *metadata);

/* Answers a call or an event with a failure, or ends a stream that a peer has opened with one. */
int32_t mxp_fail(mxp_core *core, uint64_t id, const mxp_failure *failure);

/* Ends a server: it accepts nobody, and tells its peers the reason. Completed when all requests in flight have ended and all
 * connections are closed; a cancellation closes them at once. */
int32_t mxp_drain(mxp_core *core, uint64_t server, mxp_text reason, uint64_t tag);

/* Registers the program at its node, and keeps it so: the lease is renewed, and the name taken again with the last epoch when
 * it was lost. 0 where the name or the node can't be. */
uint64_t mxp_announce(mxp_core *core, const mxp_announce_options *options, mxp_failure *failure);

/* Hears the events of services, by the program's node: those methods of the tables that are events. With MXP_METHOD_CONFIRM the
 * host answers each: by mxp_respond, so that a durable event is done; by mxp_fail, so that it is delivered again, or with the
 * status 3 goes to the dead letters. Without it, each is done as it comes into the queue. 0 where there are no events. */
uint64_t mxp_subscribe(mxp_core *core, const mxp_service *services, size_t count, const mxp_subscribe_options *options,
                       mxp_failure *failure);

/* Ends an announcement, whose name is free then, or a subscription, as soon as the host has answered its last event. Nothing of
 * it comes behind the completion. */
int32_t mxp_withdraw(mxp_core *core, uint64_t id, uint64_t tag);

/* A text of C, without its zero. */
static inline mxp_text mxp_text_of(const char *text) {
  mxp_text made = {text, strlen(text)};
  return made;
}

#ifdef __cplusplus
}
#endif

#endif
