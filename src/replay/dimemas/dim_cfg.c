/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading Dimemas' configuration: records of one line each, `"name" {field, field, …};;`, where a field is a text in quotes, a
 * number or an array `[n] {a, b}`. A line becomes fields, and a row of the table at the end says which function takes them.
 */
#include "dim_cfg_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "#DIMEMAS_CONFIGURATION";
#define NS 1e9
#define MIB_PER_S (1048576.0 / 1e9)

bool weft_replay_is_cfg(const char *first, size_t n)
{
	return n >= sizeof mark - 1 && memcmp(first, mark, sizeof mark - 1) == 0;
}

int cfg_wrong(struct cfg_reader *r, const char *what)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s', line %u: %s", r->name, r->line, what);
}

/* ---- fields ---- */

static const char *text_of(struct cfg_reader *r, unsigned i)
{
	const char *copy = weft_arena_strndup(&r->m->arena, r->field[i].text.at, r->field[i].text.n);
	return copy ? copy : "";
}

static bool is_count(const struct cfg_field *f)
{
	return f->kind == CFG_NUMBER && f->number >= 0 && f->number <= UINT32_MAX && f->number == floor(f->number);
}

static uint32_t count_of(const struct cfg_field *f)
{
	return (uint32_t)f->number;
}

/* `kinds`: a letter a field: s text, n number, c count, a array, x text or number. */
static int expect(struct cfg_reader *r, const char *kinds)
{
	for (unsigned i = 0; kinds[i]; i++) {
		const struct cfg_field *f = &r->field[i];
		const bool fits = kinds[i] == 's'   ? f->kind == CFG_TEXT
		                  : kinds[i] == 'n' ? f->kind == CFG_NUMBER
		                  : kinds[i] == 'c' ? is_count(f)
		                  : kinds[i] == 'a' ? f->kind == CFG_ARRAY
		                                    : f->kind != CFG_ARRAY;
		if (!fits)
			return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s', line %u: field %u is no %s", r->name, r->line, i + 1,
			                    kinds[i] == 's'   ? "text in quotes"
			                    : kinds[i] == 'n' ? "number"
			                    : kinds[i] == 'c' ? "count"
			                                      : "array");
	}
	return 0;
}

/* ---- records ---- */

static int wan(struct cfg_reader *r)
{
	int rc = expect(r, "sccnnnc");
	if (rc)
		return rc;
	r->m->wan.name = text_of(r, 0);
	r->n_sites_said = count_of(&r->field[1]);
	r->m->wan.traffic = (uint8_t)r->field[3].number;
	r->m->wan.max_traffic = r->field[4].number;
	r->m->wan.bytes_per_ns = r->field[5].number * MIB_PER_S;
	r->m->wan.model = (uint8_t)count_of(&r->field[6]);
	return 0;
}

static int environment(struct cfg_reader *r)
{
	int rc = expect(r, "scscncc");
	if (rc)
		return rc;
	if (count_of(&r->field[1]) != r->m->site.n)
		return cfg_wrong(r, "machines are not numbered 0, 1, 2 … in their order");
	const uint32_t model = count_of(&r->field[6]);
	if (model > WEFT_REPLAY_LOGARITHMIC)
		return cfg_wrong(r, "unknown model of collective operations: known are 1 constant, 2 linear, 3 logarithmic");
	return weft_vec_push(&r->m->site, (struct weft_replay_site){.name = text_of(r, 0),
	                                                            .architecture = text_of(r, 2),
	                                                            .n_nodes = count_of(&r->field[3]),
	                                                            .bytes_per_ns = r->field[4].number * MIB_PER_S,
	                                                            .buses = count_of(&r->field[5]),
	                                                            .model = (uint8_t)model});
}

static int add_kind(struct cfg_reader *r, struct weft_replay_node_kind *k)
{
	if (!k->n || k->n > 1u << 24 || r->m->n_nodes + k->n > 1u << 24)
		return cfg_wrong(r, "no nodes, or more than 16777216");
	if (k->ratio < 0)
		return cfg_wrong(r, "the speed of a node's processors is negative");
	k->first = r->m->n_nodes;
	r->m->n_nodes += k->n;
	return weft_vec_push(&r->m->kind, *k);
}

/* From the name on, which is field `at`. */
static int node_fields(struct cfg_reader *r, unsigned at, uint32_t n)
{
	const struct cfg_field *f = &r->field[at];
	struct weft_replay_node_kind k = {.site = count_of(&r->field[0]),
	                                  .n = n,
	                                  .name = text_of(r, at),
	                                  .cpus = count_of(&f[1]),
	                                  .ratio = f[2].number,
	                                  .intra = {f[3].number * NS, f[4].number * MIB_PER_S, count_of(&f[5]), count_of(&f[6]),
	                                            count_of(&f[7])},
	                                  .inter_latency_ns = f[8].number * NS,
	                                  .links_in = count_of(&f[9]),
	                                  .links_out = count_of(&f[10]),
	                                  .wan_latency_ns = f[11].number * NS,
	                                  .device.ratio = 1};
	return add_kind(r, &k);
}

static int multi_node(struct cfg_reader *r)
{
	int rc = expect(r, "ccscnnncccnccn");
	return rc ? rc : node_fields(r, 2, count_of(&r->field[1]));
}

/* machine, node, name, CPUs, links in, out, intra latency, inter latency, ratio, memory bandwidth, WAN latency */
static int oldest_node(struct cfg_reader *r)
{
	int rc = expect(r, "ccscccnnnnn");
	const struct cfg_field *f = r->field;
	if (rc)
		return rc;
	r->notice =
		"records of nodes are of the oldest form: inside of a node there are as many buses as processors, and one link for each";
	struct weft_replay_node_kind k = {.site = count_of(&f[0]),
	                                  .n = 1,
	                                  .name = text_of(r, 2),
	                                  .cpus = count_of(&f[3]),
	                                  .links_in = count_of(&f[4]),
	                                  .links_out = count_of(&f[5]),
	                                  .inter_latency_ns = f[7].number * NS,
	                                  .ratio = f[8].number,
	                                  .intra = {f[6].number * NS, f[9].number * MIB_PER_S, count_of(&f[3]), 1, 0},
	                                  .wan_latency_ns = f[10].number * NS,
	                                  .device.ratio = 1};
	return add_kind(r, &k);
}

static int node(struct cfg_reader *r)
{
	if (r->n_fields == 11)
		return oldest_node(r);
	if (r->n_fields == 12)
		return cfg_wrong(r, "wrong number of fields");
	int rc = expect(r, r->n_fields == 13 ? "cscnnncccnccn" : "ccscnnncccnccn");
	return rc ? rc : node_fields(r, r->n_fields == 13 ? 1 : 2, 1);
}

static int mapping(struct cfg_reader *r)
{
	int rc = expect(r, "sca");
	if (rc)
		return rc;
	const uint32_t n = count_of(&r->field[1]);
	if (r->field[2].n != n)
		return cfg_wrong(r, "the mapping does not name as many nodes as it has tasks");
	uint32_t *node_of = weft_arena_alloc(&r->m->arena, (n + 1) * sizeof *node_of);
	if (!node_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const double v = r->array[r->field[2].first + i];
		if (v < 0 || v > UINT32_MAX)
			return cfg_wrong(r, "a node of the mapping is negative");
		node_of[i] = (uint32_t)v;
	}
	r->m->map.rule = WEFT_REPLAY_EXPLICIT;
	r->m->map.node = node_of;
	r->m->map.n = n;
	return 0;
}

static int predefined(struct cfg_reader *r)
{
	int rc = expect(r, r->n_fields == 1 ? "s" : "ss");
	if (rc)
		return rc;
	struct weft_str what = r->field[r->n_fields - 1].text, rest = what;
	uint64_t n;
	if (weft_str_eq(what, "FILL_NODES"))
		r->m->map.rule = WEFT_REPLAY_FILL;
	else if (weft_str_eq(what, "INTERLEAVED"))
		r->m->map.rule = WEFT_REPLAY_INTERLEAVED;
	else if (!weft_parse_u64(weft_str_word(&rest), &n) && n && n <= UINT32_MAX && weft_str_eq(rest, "TASKS_PER_NODE")) {
		r->m->map.rule = WEFT_REPLAY_PER_NODE;
		r->m->map.per_node = (uint32_t)n;
	} else
		return cfg_wrong(r, "unknown mapping: known are \"FILL_NODES\", \"<n> TASKS_PER_NODE\", \"INTERLEAVED\"");
	return 0;
}

static int files(struct cfg_reader *r)
{
	int rc = expect(r, "ssss");
	if (!rc && r->field[0].text.n)
		r->scheduler = text_of(r, 0);
	if (!rc && r->field[2].text.n)
		r->collectives = text_of(r, 2);
	return rc;
}

static int module(struct cfg_reader *r)
{
	int rc = expect(r, "nnn");
	if (rc)
		return rc;
	if (r->field[1].number == 0)
		return cfg_wrong(r, "a module of value 0, which means its end");
	return weft_vec_push(&r->m->module, (struct weft_replay_module){.type = (int64_t)r->field[0].number,
	                                                                .value = (int64_t)r->field[1].number,
	                                                                .ratio = r->field[2].number});
}

static int file_system(struct cfg_reader *r)
{
	return expect(r, "nnnnn");
}

static int read_test(struct cfg_reader *r, unsigned size, unsigned condition, struct weft_replay_test *t)
{
	const struct weft_str c = r->field[condition].text;
	t->bytes = (uint64_t)fmax(r->field[size].number, 0);
	t->compare = c.n == 1 ? c.at[0] : 0;
	return c.n == 1 && !strchr("<=>", c.at[0]) ? cfg_wrong(r, "a condition is none of < = >") : 0;
}

static void *list_of(struct cfg_reader *r, unsigned i)
{
	const struct cfg_field *f = &r->field[i];
	int32_t *at = weft_arena_alloc(&r->m->arena, (f->n + 1) * sizeof *at);
	for (uint32_t k = 0; at && k < f->n; k++)
		at[k] = (int32_t)r->array[f->first + k];
	return at;
}

static int connection(struct cfg_reader *r)
{
	struct weft_replay_connection c = {0};
	int rc = expect(r, "xccnanxxnxann");
	if (!rc)
		rc = read_test(r, 5, 6, &c.first);
	if (!rc)
		rc = read_test(r, 8, 9, &c.second);
	if (rc)
		return rc;
	c.from = count_of(&r->field[1]);
	c.to = count_of(&r->field[2]);
	c.bytes_per_ns = r->field[3].number * MIB_PER_S;
	c.tag = list_of(r, 4);
	c.n_tags = r->field[4].n;
	c.either = weft_str_eq(r->field[7].text, "|");
	c.comm = list_of(r, 10);
	c.n_comms = r->field[10].n;
	c.latency_ns = r->field[11].number * NS;
	c.flight_ns = r->field[12].number * NS;
	return c.tag && c.comm ? weft_vec_push(&r->m->connection, c) : -ENOMEM;
}

static int accelerator(struct cfg_reader *r)
{
	int rc = expect(r, "ccnnncn");
	if (rc)
		return rc;
	const uint32_t at = count_of(&r->field[0]);
	struct weft_replay_node_kind *k = NULL;
	for (size_t i = 0; i < r->m->kind.n; i++)
		if (at >= r->m->kind.at[i].first && at - r->m->kind.at[i].first < r->m->kind.at[i].n)
			k = &r->m->kind.at[i];
	if (!k)
		return cfg_wrong(r, "accelerators of a node that is not described above");
	if (k->n > 1) { /* this node becomes a kind of its own */
		rc = cfg_split_kind(r, (size_t)(k - r->m->kind.at), at);
		if (rc < 0)
			return rc;
		k = &r->m->kind.at[rc];
	}
	k->device.devices = count_of(&r->field[1]);
	k->device.latency_ns = r->field[2].number * NS;
	k->device.memory_latency_ns = r->field[3].number * NS;
	k->device.bytes_per_ns = r->field[4].number * MIB_PER_S;
	k->device.buses = count_of(&r->field[5]);
	k->device.ratio = r->field[6].number;
	return 0;
}

static const struct cfg_record {
	const char *name;
	unsigned least, most;
	int (*take)(struct cfg_reader *r);
} records[] = {
	{"wide area network information", 7, 7, wan},
	{"environment information", 7, 7, environment},
	{"multi node information", 14, 14, multi_node},
	{"node information", 11, 14, node},
	{"mapping information", 3, 3, mapping},
	{"predefined mapping information", 1, 2, predefined},
	{"configuration files", 4, 4, files},
	{"modules information", 3, 3, module},
	{"file system parameters", 5, 5, file_system},
	{"dedicated connection information", 13, 13, connection},
	{"accelerator node information", 7, 7, accelerator},
};

int cfg_take(struct cfg_reader *r, struct weft_str name)
{
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
		if (weft_str_eq(name, records[i].name))
			return r->n_fields < records[i].least || r->n_fields > records[i].most
			               ? cfg_wrong(r, "wrong number of fields")
			               : records[i].take(r);
	return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s', line %u: unknown record '%.*s'", r->name, r->line, (int)name.n,
	                    name.at);
}
