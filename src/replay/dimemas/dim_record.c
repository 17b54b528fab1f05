/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a .dim's threads, one row each in a table by the number that they begin with:
 *
 *     1:t:th:seconds                                     burst            11: the same on a device
 *     2:t:th:dest:destth:bytes:tag:comm:flags            send             0: nothing
 *     3:t:th:src:srcth:bytes:tag:comm:kind               receive, posted receive, wait
 *     10:t:th:op:comm:root:rootth:sent:received:sync     collective
 *     20:t:th:type:value                                 event
 */
#include "dim_read_priv.h"
#include <errno.h>
#include <string.h>

enum { FIELDS_MOST = 7, KINDS = 21 };

typedef int record_fn(struct dim_reader *r, const char *line, const int64_t *field, unsigned n);

static int put(struct dim_reader *r, unsigned kind, unsigned flags, uint64_t of)
{
	const struct weft_replay_op op = {.place = r->place, .kind = kind & 15, .flags = flags & 15, .of = of};
	return weft_replay_build_op(r->b, &op);
}

/* "0.000014172" in ns; more than nine decimals are rounded off. */
static bool read_seconds(const char **at, const char *end, double *ns)
{
	uint64_t whole, part = 0;
	unsigned digits = 0;
	if (!dim_number(at, end, &whole))
		return false;
	if (*at < end && **at == '.')
		for (++*at; *at < end && (unsigned char)(**at - '0') < 10; ++*at)
			if (digits < 12) {
				part = 10 * part + (unsigned char)(**at - '0');
				digits++;
			}
	for (; digits < 12; digits++)
		part *= 10;
	*ns = (double)whole * 1e9 + (double)(part / 1000) + (double)(part % 1000) / 1000;
	return true;
}

static int nothing(struct dim_reader *r, const char *line, const int64_t *field, unsigned n)
{
	(void)line, (void)field, (void)n;
	return put(r, WEFT_REPLAY_NOP, 0, 0);
}

static bool make_key(const int64_t *field, struct dim_channel_key *key)
{
	if (field[0] < 0 || field[0] > UINT32_MAX || field[1] < -1 || field[1] > INT32_MAX || field[2] < 0 ||
	    field[3] < INT32_MIN || field[3] > INT32_MAX || field[4] < 0 || field[4] > UINT32_MAX)
		return false;
	key->tag = (int32_t)field[3];
	key->comm = (uint32_t)field[4];
	key->from_thread = key->to_thread = -1;
	return true;
}

static uint32_t this_task(const struct dim_reader *r)
{
	return weft_replay_built(r->b)->n_ranks - 1;
}

static int send(struct dim_reader *r, const char *line, const int64_t *field, unsigned n)
{
	struct dim_channel_key key;
	const int64_t flags = n > 5 ? field[5] : 0;
	if (!make_key(field, &key) || field[0] >= (int64_t)r->task.n || flags < 0)
		return dim_wrong(r, line, "a send to no task of this program");
	key.from = this_task(r);
	key.to = (uint32_t)field[0];
	const int64_t m = dim_match_send(&r->match, r->b, &key, (uint64_t)field[2]);
	return m < 0 ? (int)m : put(r, WEFT_REPLAY_SEND, (unsigned)flags & 3, (uint64_t)m);
}

static int receive(struct dim_reader *r, const char *line, const int64_t *field, unsigned n)
{
	static const uint8_t kinds[] = {WEFT_REPLAY_RECV, WEFT_REPLAY_IRECV, WEFT_REPLAY_WAIT};
	struct dim_channel_key key;
	const int64_t kind = n > 5 ? field[5] : 0;
	if (!make_key(field, &key) || field[0] >= (int64_t)r->task.n || kind < 0 || kind > 2)
		return dim_wrong(r, line, "a receive from no task of this program, or of a kind that is not 0, 1, 2");
	key.from = (uint32_t)field[0];
	key.to = this_task(r);
	int64_t m = kind == 2 ? dim_match_wait(&r->match, &key) : -ENOENT;
	unsigned as = kinds[kind];
	if (m == -ENOENT) {
		as = kind == 2 ? WEFT_REPLAY_RECV : as; /* a wait for what nobody posted */
		m = dim_match_receive(&r->match, r->b, &key, (uint64_t)field[2], kind == 1);
	}
	return m < 0 ? (int)m : put(r, as, 0, (uint64_t)m);
}

static int wait_for_begun(struct dim_reader *r, uint32_t comm)
{
	for (size_t i = 0; i < r->begun.n; i++)
		if (r->begun.at[i].comm == comm) {
			const uint64_t part = r->begun.at[i].part;
			memmove(r->begun.at + i, r->begun.at + i + 1, (r->begun.n - i - 1) * sizeof *r->begun.at);
			r->begun.n--;
			return put(r, WEFT_REPLAY_COLLECTIVE, WEFT_REPLAY_COMPLETE, part);
		}
	return put(r, WEFT_REPLAY_NOP, 0, 0);
}

static int collective(struct dim_reader *r, const char *line, const int64_t *field, unsigned n)
{
	const int64_t sync = n > 6 ? field[6] : 1;
	const int64_t comm = field[1] < 0 || field[1] > UINT32_MAX ? -ENOENT
	                                                           : weft_replay_build_comm_find(r->b, (uint32_t)field[1]);
	const bool reduce = field[0] == WEFT_REPLAY_REDUCE;
	if (field[0] < 0 || field[0] >= 2 * WEFT_REPLAY_OPERATIONS || field[4] < 0 || field[5] < 0 || sync < 0 || sync > 3 ||
	    field[2] < 0 || (reduce && field[2] >= (int64_t)r->task.n))
		return dim_wrong(r, line, "not a collective operation");
	if (comm < 0)
		return dim_wrong(r, line, "a collective operation of a communicator that is not defined");
	if (sync == 2)
		return wait_for_begun(r, (uint32_t)comm);
	const struct weft_replay_part part = {.sent = (uint64_t)field[4],
	                                      .received = (uint64_t)field[5],
	                                      .is_root = !reduce && field[2] == 1};
	const int64_t at = weft_replay_build_part(r->b, (uint32_t)comm, (unsigned)field[0] % WEFT_REPLAY_OPERATIONS,
	                                          reduce ? (int32_t)field[2] : -1, &part);
	if (at < 0)
		return (int)at;
	if (sync == 0 && weft_vec_push(&r->begun, (struct dim_begun){(uint32_t)comm, (uint64_t)at}))
		return -ENOMEM;
	return put(r, WEFT_REPLAY_COLLECTIVE, sync == 0 ? WEFT_REPLAY_IMMEDIATE : 0, (uint64_t)at);
}

/* A point of threads of a task, by a key that all of them have for it. How many pass it is filled in by dim_join_threads. */
static int put_point(struct dim_reader *r, uint64_t key, unsigned flags)
{
	const bool counts = !(flags & WEFT_REPLAY_COMPLETE);
	if (weft_vec_push(&r->sync, (struct dim_sync){weft_replay_built_ops(r->b), key, counts}))
		return -ENOMEM;
	return put(r, WEFT_REPLAY_SYNC, flags, key);
}

/*
 * OpenMP: all threads that execute an outlined function begin it together (its k-th time in each), and the parallel region ends when
 * all have left it.
 */
static int put_begin(struct dim_reader *r, uint64_t function)
{
	const uint64_t mine = weft_hash_u64(function ^ (uint64_t)weft_replay_built(r->b)->n_threads << 40);
	uint64_t k = 0;
	weft_map_get(&r->sync_count, mine, &k);
	if (weft_map_put(&r->sync_count, mine, k + 1))
		return -ENOMEM;
	r->function = weft_hash_u64(function + (k << 20)) | 1;
	return put_point(r, r->function, 0);
}

static int put_omp(struct dim_reader *r, int64_t type, int64_t value)
{
	if (r->task.at[this_task(r)].n < 2)
		return 0;
	if (type == DIM_OMP_FUNCTION && value)
		return put_begin(r, (uint64_t)value);
	if (!r->function || value)
		return 0;
	return type == DIM_OMP_FUNCTION   ? put_point(r, r->function + 1, WEFT_REPLAY_IMMEDIATE)
	       : type == DIM_OMP_PARALLEL ? put_point(r, r->function + 1, WEFT_REPLAY_COMPLETE)
	                                  : 0;
}

static uint32_t place_of_call(struct dim_reader *r, int64_t value)
{
	if (value <= 0 || value >= DIM_CALL_VALUES)
		return 0;
	if (!r->call_place[value]) {
		const char *name = dim_call_name(value);
		const int64_t place = weft_replay_build_place(r->b, name, strlen(name));
		r->call_place[value] = place < 0 ? 1 : (uint32_t)place + 1;
	}
	return r->call_place[value] - 1;
}

static int event(struct dim_reader *r, const char *line, const int64_t *field, unsigned n)
{
	(void)n;
	if (field[0] < 0 || field[0] > UINT32_MAX)
		return dim_wrong(r, line, "not a type of event");
	if (dim_is_call_type(field[0]))
		r->place = place_of_call(r, field[1]);
	const struct weft_replay_op op = {.place = r->place,
	                                  .kind = WEFT_REPLAY_EVENT,
	                                  .what = (uint32_t)field[0],
	                                  .value = field[1]};
	int rc = weft_replay_build_op(r->b, &op);
	return rc ? rc : put_omp(r, field[0], field[1]);
}

static const struct {
	record_fn *fn;
	uint8_t least, most; /* fields behind the thread */
} records[KINDS] = {
	[0] = {nothing, 0, 0}, [2] = {send, 5, 6}, [3] = {receive, 5, 6}, [10] = {collective, 6, 7}, [20] = {event, 2, 2},
};

static int read_burst(struct dim_reader *r, const char *line, const char *at, const char *end, unsigned kind)
{
	struct weft_replay_op op = {.place = r->place, .kind = kind & 15};
	if (!read_seconds(&at, end, &op.ns) || (at < end && *at != '\r' && *at != ' '))
		return dim_wrong(r, line, "a burst without its seconds");
	return weft_replay_build_op(r->b, &op);
}

static int read_record(struct dim_reader *r, const char *line, const char *at, const char *end, uint64_t kind)
{
	int64_t field[FIELDS_MOST];
	unsigned n = 0;
	if (kind == 1 || kind == 11) {
		if (at == end)
			return dim_wrong(r, line, "a burst without its seconds");
		return read_burst(r, line, at + 1, end, kind == 1 ? WEFT_REPLAY_BURST : WEFT_REPLAY_DEVICE);
	}
	if (kind >= KINDS || !records[kind].fn)
		return dim_wrong(r, line, "a record of an unknown kind");
	while (at < end && *at == ':' && n < FIELDS_MOST) {
		at++;
		if (!dim_signed(&at, end, &field[n++]))
			return dim_wrong(r, line, "a field that is no number");
	}
	if (n < records[kind].least || n > records[kind].most || (at < end && *at != '\r' && *at != ' '))
		return dim_wrong(r, line, "a record of another number of fields than its kind has");
	return records[kind].fn(r, line, field, n);
}

int dim_read_thread(struct dim_reader *r, const char *at, uint32_t task, uint32_t thread)
{
	char own[32];
	const size_t n_own = (size_t)snprintf(own, sizeof own, ":%u:%u", task, thread);
	r->place = 0;
	r->function = 0;
	r->begun.n = 0;
	while (at < r->end) {
		const char *line = at;
		const char *next = memchr(at, '\n', (size_t)(r->end - at));
		const char *end = next ? next : r->end;
		uint64_t kind;
		if (!dim_number(&at, end, &kind))
			return 0; /* what stands behind the records */
		if ((size_t)(end - at) < n_own || memcmp(at, own, n_own) != 0 || (at + n_own < end && at[n_own] != ':'))
			return 0; /* of another thread */
		int rc = read_record(r, line, at + n_own, end, kind);
		if (rc == WEFT_E_SYNTAX && !next) {
			weft_replay_build_fault(r->b, WEFT_REPLAY_TRUNCATED, weft_replay_built(r->b)->n_threads - 1, 0);
			if (r->err)
				r->err->code = 0;
			return 0;
		}
		if (rc)
			return rc;
		r->n_records++;
		at = next ? next + 1 : r->end;
	}
	return 0;
}

int dim_join_threads(struct dim_reader *r)
{
	weft_map_clear(&r->sync_count);
	for (size_t i = 0; i < r->sync.n; i++) {
		uint64_t n = 0;
		if (!r->sync.at[i].counts)
			continue;
		weft_map_get(&r->sync_count, r->sync.at[i].key, &n);
		if (weft_map_put(&r->sync_count, r->sync.at[i].key, n + 1))
			return -ENOMEM;
	}
	for (size_t i = 0; i < r->sync.n; i++) {
		uint64_t n = 0;
		weft_map_get(&r->sync_count, r->sync.at[i].key, &n);
		weft_replay_built_op(r->b, r->sync.at[i].op)->what = (uint32_t)n;
	}
	weft_map_clear(&r->sync_count);
	r->sync.n = 0;
	return 0;
}
