/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of collective operations that a configuration names: a line a rule.
 *
 *     Machine globalop: <machine> <operation> <model in> <size in> <model out> <size out>
 *     External globalop: <operation> …                       between machines
 *     <operation> <model in> <size in> <model out> <size out> <contention>        everywhere: the old form
 *     Machine policy: <machine> FIFO|RR|BOOST|… ; Quantum size (bytes): <n> ; Flight time: <machine> <seconds> …
 */
#include "dim_cfg.h"
#include "base/fs.h"
#include "base/str.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const model_names[] = {[WEFT_REPLAY_ZERO] = "0",
                                          [WEFT_REPLAY_CONSTANT] = "CTE",
                                          [WEFT_REPLAY_LINEAR] = "LIN",
                                          [WEFT_REPLAY_LOGARITHMIC] = "LOG"};
static const char *const size_names[] =
	{[WEFT_REPLAY_SIZE_OWN] = "",      [WEFT_REPLAY_SIZE_MIN] = "MIN",      [WEFT_REPLAY_SIZE_MAX] = "MAX",
         [WEFT_REPLAY_SIZE_MEAN] = "MEAN", [WEFT_REPLAY_SIZE_TWO_MAX] = "2MAX", [WEFT_REPLAY_SIZE_BOTH] = "S+R"};
static const char *const operation_names[] =
	{"Barrier",    "Bcast",    "Gather",    "Gatherv", "Scatter",   "Scatterv",       "Allgather",
         "Allgatherv", "Alltoall", "Alltoallv", "Reduce",  "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
         "Scan",       "Alltoallw"};
#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

struct rules {
	struct weft_replay_machine *m;
	const char *name;
	unsigned line;
	struct weft_err *err;
};

static int wrong(const struct rules *r, const char *what, struct weft_str word)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s', line %u: %s '%.*s'", r->name, r->line, what, (int)word.n, word.at);
}

static int find(const char *const *names, size_t n, struct weft_str word)
{
	for (size_t i = 0; i < n; i++)
		if (word.n && weft_str_eq(word, names[i]))
			return (int)i;
	return -1;
}

/* A number, or a name with MPI_ before it or not. */
static int find_operation(struct weft_str word)
{
	uint64_t n;
	if (!weft_parse_u64(word, &n))
		return n < WEFT_REPLAY_COLLECTIVES ? (int)n : -1;
	if (word.n > 4 && memcmp(word.at, "MPI_", 4) == 0)
		word = weft_str_n(word.at + 4, word.n - 4);
	return find(operation_names, LENGTH(operation_names), word);
}

static int read_phase(const struct rules *r, struct weft_str *rest, struct weft_replay_phase *p)
{
	const struct weft_str model = weft_str_word(rest), size = weft_str_word(rest);
	const int m = find(model_names, LENGTH(model_names), model), s = find(size_names, LENGTH(size_names), size);
	if (m < 0)
		return wrong(r, "unknown model", model);
	if (s < 1)
		return wrong(r, "unknown size", size);
	*p = (struct weft_replay_phase){(uint8_t)m, (uint8_t)s};
	return 0;
}

/* "<operation> <model> <size> <model> <size>" */
static int read_rule(const struct rules *r, struct weft_str *rest, unsigned *operation, struct weft_replay_collective *c)
{
	const struct weft_str word = weft_str_word(rest);
	const int op = find_operation(word);
	if (op < 0)
		return wrong(r, "unknown operation", word);
	*operation = (unsigned)op;
	c->set = true;
	int rc = read_phase(r, rest, &c->in);
	return rc ? rc : read_phase(r, rest, &c->out);
}

static int read_site(const struct rules *r, struct weft_str *rest, uint64_t *site)
{
	const struct weft_str word = weft_str_word(rest);
	return weft_parse_u64(word, site) || *site >= r->m->site.n ? wrong(r, "no such machine:", word) : 0;
}

static int machine_rule(const struct rules *r, struct weft_str rest)
{
	struct weft_replay_collective c;
	uint64_t site;
	unsigned op;
	int rc = read_site(r, &rest, &site);
	if (!rc)
		rc = read_rule(r, &rest, &op, &c);
	if (!rc)
		r->m->site.at[site].collective[op] = c;
	return rc;
}

static int external_rule(const struct rules *r, struct weft_str rest)
{
	struct weft_replay_collective c;
	unsigned op;
	int rc = read_rule(r, &rest, &op, &c);
	if (!rc)
		r->m->wan.collective[op] = c;
	return rc;
}

static int old_rule(const struct rules *r, struct weft_str rest)
{
	struct weft_replay_collective c;
	unsigned op;
	int rc = read_rule(r, &rest, &op, &c);
	for (size_t i = 0; !rc && i < r->m->site.n; i++)
		r->m->site.at[i].collective[op] = c;
	if (!rc)
		r->m->wan.collective[op] = c;
	return rc;
}

static int policy_rule(const struct rules *r, struct weft_str rest)
{
	uint64_t site;
	int rc = read_site(r, &rest, &site);
	const struct weft_str word = weft_str_word(&rest);
	uint8_t policy = 0;
	while (policy < WEFT_REPLAY_POLICIES && !weft_str_eq(word, weft_replay_policy_names[policy]))
		policy++;
	if (!rc && policy == WEFT_REPLAY_POLICIES)
		rc = wrong(r, "unknown policy", word);
	if (!rc)
		r->m->site.at[site].policy = policy;
	return rc;
}

static int quantum_rule(const struct rules *r, struct weft_str rest)
{
	double n;
	const struct weft_str word = weft_str_word(&rest);
	if (weft_parse_double(word, &n) || n < 0)
		return wrong(r, "not a quantum:", word);
	for (size_t i = 0; i < r->m->site.n; i++)
		r->m->site.at[i].quantum_ns = n;
	return 0;
}

static int flight_rule(const struct rules *r, struct weft_str rest)
{
	const size_t n = r->m->site.n;
	uint64_t from;
	int rc = read_site(r, &rest, &from);
	if (!rc && !r->m->wan.flight_ns) {
		r->m->wan.flight_ns = weft_arena_alloc(&r->m->arena, n * n * sizeof(double));
		if (!r->m->wan.flight_ns)
			return -ENOMEM;
		memset(r->m->wan.flight_ns, 0, n * n * sizeof(double));
	}
	for (size_t to = 0; !rc && to < n && rest.n; to++) {
		double seconds;
		const struct weft_str word = weft_str_word(&rest);
		if (weft_parse_double(word, &seconds) || seconds < 0)
			rc = wrong(r, "not a time of flight:", word);
		else
			r->m->wan.flight_ns[from * n + to] = seconds * 1e9;
	}
	return rc;
}

static const struct {
	const char *begin;
	int (*take)(const struct rules *r, struct weft_str rest);
} forms[] = {
	{"Machine globalop:", machine_rule},     {"External globalop:", external_rule}, {"Machine policy:", policy_rule},
	{"Quantum size (bytes):", quantum_rule}, {"Flight time:", flight_rule},
};

static int read_rule_line(const struct rules *r, struct weft_str line)
{
	for (size_t i = 0; i < LENGTH(forms); i++) {
		const size_t n = strlen(forms[i].begin);
		if (line.n >= n && memcmp(line.at, forms[i].begin, n) == 0)
			return forms[i].take(r, weft_str_trim(weft_str_n(line.at + n, line.n - n)));
	}
	return old_rule(r, line);
}

int weft_replay_collectives_parse(struct weft_replay_machine *m, const char *at, size_t n, const char *name, struct weft_err *err)
{
	struct rules r = {.m = m, .name = name, .err = err};
	struct weft_str all = weft_str_n(at, n), line;
	while (weft_str_cut(&all, '\n', &line)) {
		r.line++;
		line = weft_str_trim(line);
		if (!line.n || line.at[0] == '#' || line.at[0] == '/' || line.at[0] == '*')
			continue;
		int rc = read_rule_line(&r, line);
		if (rc)
			return rc;
	}
	return 0;
}

int weft_replay_collectives_read(struct weft_replay_machine *m, const char *path, struct weft_err *err)
{
	char *at;
	size_t n;
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	rc = weft_replay_collectives_parse(m, at, n, path, err);
	free(at);
	return rc;
}
