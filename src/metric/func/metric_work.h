/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from inside: a row is a chain of streams, each of which pulls blocks of intervals from the
 * one below it. Simple compose functions change the block of the stream below in place; nothing is
 * called once an event.
 *
 *   records (of a thread: filtered, in the order of Paraver) ─> thread stream ─> compose … ─> level (merges children) ─> …
 */
#ifndef WEFT_METRIC_METRIC_PRIV_H
#define WEFT_METRIC_METRIC_PRIV_H

#include "metric.h"
#include "metric_schema.h"
#include "metric_source.h"
#include "trace/store/cursor.h"
#include <string.h>

/* ---- streams ---- */

struct metric_stream {
	int (*next)(struct metric_stream *s, struct weft_intervals *b); /* 1, 0 at the end, negative */
	void (*free)(struct metric_stream *s);                          /* also frees s and what it pulls from */
};
static inline void metric_stream_free(struct metric_stream *s)
{
	if (s)
		s->free(s);
}

/* What a part of a row is made for. */
struct metric_site {
	const struct weft_space *space;
	const struct weft_metric *metric;
	enum weft_level level;
	uint32_t object;
	double from, to;            /* as in weft_row_open */
	struct metric_share *share; /* NULL: none */
	struct metric_walks *walks; /* NULL: none */
	struct metric_bank *bank;   /* NULL: none */
};

/* ---- parameters ---- */

static inline struct weft_list metric_param(const struct weft_call *c, unsigned i)
{
	return c->param[i].n ? c->param[i] : (struct weft_list){&c->func->param[i].value, 1};
}
static inline double metric_param_one(const struct weft_call *c, unsigned i)
{
	return metric_param(c, i).at[0];
}
static inline bool metric_in_list(struct weft_list l, double v)
{
	for (uint32_t i = 0; i < l.n; i++)
		if (l.at[i] == v)
			return true;
	return false;
}

/* ---- records ---- */

/*
 * Kinds of records, as bits of a function's mask. Their order at one instant is in
 * metric_record_rank.
 */
enum metric_record_kind {
	METRIC_STATE = 1,
	METRIC_STATE_END = 2,
	METRIC_EVENT = 4,
	METRIC_LOG_SEND = 8,
	METRIC_PHY_SEND = 16,
	METRIC_LOG_RECV = 32,
	METRIC_PHY_RECV = 64,
	METRIC_FAR_LOG_SEND = 128, /* the other end of a message that this thread receives */
	METRIC_FAR_PHY_SEND = 256,
	METRIC_FAR_LOG_RECV = 512,
	METRIC_FAR_PHY_RECV = 1024,
	METRIC_EMPTY = 2048, /* in front of a thread's first */
	METRIC_STATES = METRIC_STATE | METRIC_STATE_END,
	METRIC_SENDS = METRIC_LOG_SEND | METRIC_PHY_SEND,
	METRIC_RECVS = METRIC_LOG_RECV | METRIC_PHY_RECV,
	METRIC_FAR_SENDS = METRIC_FAR_LOG_SEND | METRIC_FAR_PHY_SEND,
	METRIC_FAR_RECVS = METRIC_FAR_LOG_RECV | METRIC_FAR_PHY_RECV,
	METRIC_COMMS = METRIC_SENDS | METRIC_RECVS | METRIC_FAR_SENDS | METRIC_FAR_RECVS,
	/* what to do about the ends of states: */
	METRIC_GAPS = 1 << 16, /* an end is dropped where another state begins; all are when gaps are not filled */
};

struct metric_records {
	uint32_t n;
	const double *time;
	const uint32_t *kind;
	const uint32_t *code; /* state: its number; event: its type; comm: the message */
	const double *value;  /* state: its end - begin in units of the trace (-1 - begin: it has no end); event: its value */
	const uint32_t *cpu;  /* from 1; 0: unknown */
};

/* Reads the records of one thread that the mask and the metric's filter accept. */
struct metric_reader;
int metric_reader_new(struct metric_reader **out, const struct weft_space *s, const struct weft_record_filter *f, uint32_t thread,
                      uint32_t mask, bool with_cpus) WEFT_MUST_CHECK;
/* 1 and at most WEFT_INTERVALS records (valid until the next call), 0 at the end, negative. */
int metric_reader_next(struct metric_reader *r, struct metric_records *out) WEFT_MUST_CHECK;
/*
 * Before the first metric_reader_next: to begin with some record at or before the time, if there is
 * one.
 */
int metric_reader_seek(struct metric_reader *r, double from) WEFT_MUST_CHECK;
void metric_reader_free(struct metric_reader *r);
/* Before the first of them: to walk with the other readers of the thread. The walks outlive it. */
int metric_reader_join(struct metric_reader *r, struct metric_walks *w) WEFT_MUST_CHECK;

/* ---- comms ---- */

/* A message in the times of the trace. */
struct metric_message {
	double log_send, phy_send, log_recv, phy_recv, size;
	int64_t tag;
	uint32_t from, to; /* threads */
	uint64_t number;   /* in the trace */
};
void metric_message_get(const struct weft_space *s, uint64_t i, struct metric_message *m);

/* The number under which metrics see a thread of the trace; WEFT_NONE: it is left out. */
static inline uint32_t metric_seen_thread(const struct weft_space *s, uint32_t thread)
{
	return s->schema && thread != WEFT_NONE ? s->schema->row[thread] : thread;
}

/*
 * metric_place.c: the cpus of messages. They are looked for at the first call, in a walk over the
 * whole trace.
 */
int metric_places_new(struct weft_message_cpus **out) WEFT_MUST_CHECK;
void metric_places_free(struct weft_message_cpus *p);
int metric_places_need(const struct weft_space *s) WEFT_MUST_CHECK; /* thread-safe */
/*
 * The ns between the times of any of the thread's messages, at most. Looked for at the first call;
 * thread-safe.
 */
int metric_places_distance(const struct weft_space *s, uint32_t thread, uint64_t *distance) WEFT_MUST_CHECK;
/* From 1, 0: unknown. After metric_places_need. */
uint32_t metric_message_cpu(const struct weft_space *s, uint64_t message, bool receiver);

/* One of the records that a message makes on its two threads. */
struct metric_comm {
	double time;
	uint32_t kind, message, cpu, place;
};
/*
 * The records of a thread's messages, in order, numbered from 0; those are kept that may still be
 * asked for.
 */
struct metric_comms {
	const struct weft_space *space;
	const struct weft_metric *metric; /* NULL: no filter */
	uint32_t mask, cpu, places;
	struct metric_source source;
	uint64_t distance; /* ns that a record lies from its event in the columns at most */
	WEFT_VEC(struct metric_comm) list;
	uint64_t base;      /* number of list.at[0] */
	size_t first, safe; /* in list: of those that are not forgotten; behind those that nothing comes before any more */
	bool open, ended;
	int rc; /* what went wrong; then there is nothing more */
};
/* All records of the thread that the mask and the metric's filter accept. */
int metric_comms_open(struct metric_comms *c, const struct weft_space *s, const struct weft_metric *m, uint32_t thread,
                      uint32_t mask) WEFT_MUST_CHECK;
/*
 * Record i, valid until another is asked for; NULL behind the last, and after a failure (c->rc).
 * Not of one that is forgotten.
 */
const struct metric_comm *metric_comms_at(struct metric_comms *c, uint64_t i);
/* Records before i will not be asked for. */
static inline void metric_comms_forget(struct metric_comms *c, uint64_t i)
{
	if (i > c->base + c->first)
		c->first = i - c->base < c->safe ? (size_t)(i - c->base) : c->safe;
}
void metric_comms_fini(struct metric_comms *c);
bool metric_comm_passes(const struct weft_space *s, const struct weft_metric *of, uint32_t kind, const struct metric_message *m);
/* Orders records of one time; events and logical receives are equal. */
unsigned metric_record_rank(uint32_t kind);
/* Is this the record at which the message is complete, as the filter sees it? kind: own or far. */
bool metric_comm_completes(const struct weft_record_filter *f, uint32_t kind, const struct metric_message *m);

/* ---- kinds of functions ---- */

/* The parameters of a function that has one. */
#define METRIC_PARAM(name, value) \
	{ \
		{name, value}, \
		{ \
			NULL, 0 \
		} \
	}

/*
 * Whole numbers: what is taken away again leaves nothing behind. Wide, as bandwidths are kept in
 * units of 1e-12.
 */
typedef __int128 metric_sum;

struct metric_thread;
struct metric_thread_func {
	struct weft_func head;
	uint32_t mask;
	/*
	 * Fills value[i] with what holds from record i on, for the n records; `ahead` functions
	 * fill it with what holds from the record before up to record i, and are called for the end
	 * of the row with n == 0, value[0].
	 */
	void (*run)(struct metric_thread *t, const struct metric_records *r, double *value);
	bool ahead;
	bool always; /* has a value also on the empty record in front */
};
/* A thread function at work. */
struct metric_thread {
	struct metric_stream stream;
	const struct weft_space *space;
	const struct weft_metric *metric;
	const struct metric_thread_func *func;
	const struct weft_call *call;
	struct weft_list list;
	uint32_t thread;
	bool by_cpu; /* partners are cpus */
	double from, to;
	struct metric_reader *reader;
	double held, time; /* the interval that is open: its value and its begin */
	uint32_t kind;     /* of the record that opened it */
	double last;       /* of the function: what it likes to keep */
	metric_sum sum;
	uint64_t at;
	struct metric_comms comms, all; /* what the filter lets through; what a function wants to see besides */
	uint64_t all_at;
	struct metric_reader *scout; /* walks ahead, for what comes next; owned */
	struct metric_records seen;
	uint32_t scout_at;
	bool scout_ended;
	int rc; /* a function that cannot fail, failed */
	bool begun, done, have_comms, emitted;
};
int metric_thread_new(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;
extern const struct metric_thread_func metric_state_funcs[], metric_event_funcs[], metric_comm_funcs[], metric_object_funcs[];
const struct metric_thread_func *metric_thread_func_of(const struct weft_func *f);
/* Does its value depend on nothing but the number of the state? */
bool metric_func_of_state_alone(const struct metric_thread_func *f);
/*
 * metric_direct.c: as metric_thread_new, of what regions say in a trace of ours; serves: this
 * metric in this row?
 */
bool metric_direct_serves(const struct metric_site *site);
/*
 * Are all values of its rows, over all time, numbers of states below PRV_STATES or 0? So that they
 * need not be looked for.
 */
bool metric_has_states_alone(const struct weft_space *s, const struct weft_metric *m);
int metric_direct_new(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;

struct metric_compose;
struct metric_compose_func {
	struct weft_func head;
	/* in place, one interval in, one out */
	void (*run)(struct metric_compose *c, struct weft_intervals *b);
	/* or a stream of its own kind */
	int (*next)(struct metric_stream *s, struct weft_intervals *b);
};
struct metric_compose {
	struct metric_stream stream;
	struct metric_stream *below; /* owned */
	const struct weft_call *call;
	struct weft_list param[WEFT_PARAMS];
	double one[WEFT_PARAMS]; /* first of each list */
	bool ascending;          /* the first list, which has as many entries as the second */
	enum weft_unit from, to; /* of times */
	double zone, last;       /* state of functions */
	WEFT_VEC(double) stack;
	int rc;                    /* a function that cannot fail, failed */
	struct weft_intervals *in; /* of those that make other intervals; owned */
	uint32_t in_at;
	double in_time;
	bool ended, open;
	double open_end, open_value; /* joined so far */
};
/*
 * Puts the function on top of *below, which it takes (also on failure). Nothing is put for As Is.
 */
int metric_compose_add(struct metric_stream **below, const struct metric_site *site,
                       const struct weft_call *call) WEFT_MUST_CHECK;
extern const struct metric_compose_func metric_compose_funcs[], metric_compose_stateful[];

struct metric_level_func {
	struct weft_func head;
	double (*run)(const struct weft_call *c, const double *value, uint32_t n);
};
extern const struct metric_level_func metric_level_funcs[];
int metric_level_new(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;

struct metric_cpu_func {
	struct weft_func head;
	bool listed, sign;
};
extern const struct metric_cpu_func metric_cpu_funcs[];
int metric_cpu_new(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;

struct metric_derived;
struct metric_derived_func {
	struct weft_func head;
	void (*run)(double *a, const double *b, uint32_t n); /* into a */
	unsigned controlled;
};
extern const struct metric_derived_func metric_derived_funcs[];
int metric_derived_new(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;
/*
 * metric_share.c: thread streams that the two parents of a derived metric have in common; *out
 * NULL: they have none. The derived metric owns it, and frees its parents before. Sealed when both
 * parents are open.
 */
struct metric_share;
int metric_share_new(struct metric_share **out, const struct weft_metric *a, const struct weft_metric *b) WEFT_MUST_CHECK;
void metric_share_seal(struct metric_share *h);
void metric_share_free(struct metric_share *h);
int metric_share_open(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK; /* as metric_thread_new */
/* metric_walks.c: one walk over each thread for all readers of it that one worker has. */
struct metric_walks;
int metric_walks_new(struct metric_walks **out) WEFT_MUST_CHECK;
void metric_walks_free(struct metric_walks *w);
int metric_walks_get(struct metric_walks *w, uint32_t thread, struct weft_walk **out) WEFT_MUST_CHECK;
/* metric_bank.c: one evaluation of a derived metric for all its users in a row. */
struct metric_bank;
bool metric_bank_pays(const struct weft_metric *m);
int metric_bank_new(struct metric_bank **out) WEFT_MUST_CHECK;
bool metric_bank_takes(int32_t shift); /* one that is shifted so far */
int metric_bank_branch(struct metric_bank **out,
                       struct metric_bank *of) WEFT_MUST_CHECK; /* for what is far apart from the others */
void metric_bank_seal(struct metric_bank *b);                   /* when all users have been opened */
void metric_bank_free(struct metric_bank *b);                   /* after all users; NULL is fine */
int metric_bank_open(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK; /* as metric_row_stream */
/* Moves the values of a stream by n intervals; takes it. */
int metric_shift_add(struct metric_stream **below, int32_t n) WEFT_MUST_CHECK;
/* Drops what ends at `from` or before, ends behind the first that reaches `to`; takes *below. */
int metric_trim_add(struct metric_stream **below, double from, double to) WEFT_MUST_CHECK;

/*
 * The value of an object of the chain: the level's function and the compose function on top of it.
 */
int metric_chain_new(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;
/* A whole row, with the top compose functions. */
int metric_row_stream(struct metric_stream **out, const struct metric_site *site) WEFT_MUST_CHECK;

/* Pulls one interval after the other out of a stream. */
struct metric_pull {
	struct metric_stream *stream; /* owned */
	struct weft_intervals *block; /* owned */
	uint32_t at;
	double begin, end, value; /* of the one in front */
	bool ended;
};
int metric_pull_init(struct metric_pull *p, struct metric_stream *s) WEFT_MUST_CHECK; /* takes s; stands on the first */
int metric_pull_refill(struct metric_pull *p) WEFT_MUST_CHECK; /* to the first of the next block, as metric_pull_step */
/* To the next; 0: there is none, the last stays. */
static inline WEFT_MUST_CHECK int metric_pull_step(struct metric_pull *p)
{
	if (p->ended || p->at + 1 >= p->block->n)
		return metric_pull_refill(p);
	p->at++;
	p->begin = p->end;
	p->end = p->block->end[p->at];
	p->value = p->block->value[p->at];
	return 1;
}
void metric_pull_fini(struct metric_pull *p);

/* How many of the first n ends are the same in both. Mostly all are, or the first is not. */
static inline uint32_t metric_ends_equal(const double *a, const double *b, uint32_t n)
{
	uint32_t i = 0;
	if (n && a[0] == b[0] && !memcmp(a, b, n * sizeof *a))
		return n;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}
/* How many of the first n ends, which do not fall, lie before `to`. */
static inline uint32_t metric_ends_before(const double *end, uint32_t n, double to)
{
	uint32_t i = 0;
	if (n && end[n - 1] < to)
		return n;
	while (i < n && end[i] < to)
		i++;
	return i;
}

#endif
