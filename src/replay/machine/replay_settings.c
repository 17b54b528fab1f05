/* SPDX-License-Identifier: Apache-2.0 */
/* Settings by name: their values as text, machines' files, and what each changes. */
#include "replay_settings.h"
#include "base/fs.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct weft_setting_row weft_setting_rows[WEFT_SETTINGS] = {
	[WEFT_SET_LATENCY] = {"latency", "what each end of a message pays between nodes", WEFT_SET_NS},
	[WEFT_SET_BANDWIDTH] = {"bandwidth", "of a link between nodes; 0: no time", WEFT_SET_RATE},
	[WEFT_SET_CPU] = {"cpu", "speed of processors: 2 is twice as fast as where it was recorded", WEFT_SET_RATIO},
	[WEFT_SET_LINKS_IN] = {"links-in", "links into a node; 0: no limit", WEFT_SET_COUNT},
	[WEFT_SET_LINKS_OUT] = {"links-out", "links out of a node; 0: no limit", WEFT_SET_COUNT},
	[WEFT_SET_BUSES] = {"buses", "messages between nodes that move at once; 0: no limit", WEFT_SET_COUNT},
	[WEFT_SET_NODE_LATENCY] = {"node-latency", "latency inside of a node", WEFT_SET_NS},
	[WEFT_SET_NODE_BANDWIDTH] = {"node-bandwidth", "bandwidth inside of a node", WEFT_SET_RATE},
	[WEFT_SET_NODE_LINKS] = {"node-links", "links of a process inside of its node", WEFT_SET_COUNT},
	[WEFT_SET_NODE_BUSES] = {"node-buses", "messages inside of a node that move at once", WEFT_SET_COUNT},
	[WEFT_SET_RANKS] = {"ranks", "among how many ranks the work is divided; each one's messages stay", WEFT_SET_COUNT},
	[WEFT_SET_RANKS_PER_NODE] = {"ranks-per-node", "how many ranks a node has", WEFT_SET_COUNT},
	[WEFT_SET_CPUS] = {"cpus", "processors of a node; 0: as many as it has threads", WEFT_SET_COUNT},
	[WEFT_SET_EAGER] = {"eager", "messages of so many bytes wait for their receiver", WEFT_SET_BYTES},
	[WEFT_SET_COLLECTIVES] = {"collectives", "free, constant, linear, logarithmic; messages: those of an algorithm",
                                  WEFT_SET_WORD},
	[WEFT_SET_OVERHEAD] = {"overhead", "LogGP's o: what each end pays; the latency is the wire's", WEFT_SET_NS},
	[WEFT_SET_GAP] = {"gap", "LogGP's g: the least time between two messages of a node", WEFT_SET_NS},
	[WEFT_SET_MEMORY_SHARE] = {"memory-share", "of its node's memory bandwidth that a thread wants while it computes",
                                   WEFT_SET_RATIO},
};
static const char *const models[] = {"free", "constant", "linear", "logarithmic", "messages"};
enum { MODELS = sizeof models / sizeof models[0], BY_MESSAGES = MODELS - 1 };

void weft_replay_settings_init(struct weft_replay_settings *s)
{
	for (unsigned i = 0; i < WEFT_SETTINGS; i++)
		s->value[i] = NAN;
	s->topology.text[0] = s->topology.folder[0] = 0;
	s->n_memory = 0;
}

int weft_replay_setting_find(struct weft_str name)
{
	for (int i = 0; i < WEFT_SETTINGS; i++)
		if (weft_str_eq(name, weft_setting_rows[i].name))
			return i;
	return -1;
}

/* ---- values ---- */

/* A number in front; the rest is its unit. */
static bool split_number(struct weft_str text, double *number, struct weft_str *unit)
{
	size_t n = 0;
	*unit = text;
	if (!text.n) /* what is empty may point nowhere */
		return false;
	while (n < text.n && (strchr("0123456789.", text.at[n]) ||
	                      (n && strchr("eE", text.at[n]) && n + 1 < text.n && strchr("0123456789+-", text.at[n + 1])) ||
	                      (n && strchr("+-", text.at[n]) && strchr("eE", text.at[n - 1]))))
		n++;
	*unit = weft_str_trim(weft_str_n(text.at + n, text.n - n));
	return n && !weft_parse_double(weft_str_n(text.at, n), number) && *number >= 0;
}

struct unit {
	const char *name;
	double factor;
};
static const struct unit times[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
static const struct unit rates[] =
	{{"B/s", 1e-9},    {"kB/s", 1e-6},      {"KB/s", 1e-6},         {"MB/s", 1e-3},         {"GB/s", 1},
         {"TB/s", 1e3},    {"KiB/s", 1.024e-6}, {"MiB/s", 1.048576e-3}, {"GiB/s", 1.073741824}, {"Mbit/s", 1.25e-4},
         {"Gbit/s", 0.125}};
static const struct unit ratios[] = {{"", 1}, {"x", 1}, {"%", 0.01}};
static const struct unit counts[] = {{"", 1}};
static const struct unit bytes[] = {{"", 1},          {"B", 1},          {"K", 1024},       {"k", 1024},
                                    {"KiB", 1024},    {"kB", 1024},      {"M", 1048576},    {"m", 1048576},
                                    {"MiB", 1048576}, {"G", 1073741824}, {"g", 1073741824}, {"GiB", 1073741824}};
static const struct {
	const struct unit *unit;
	size_t n;
	const char *example;
} kinds[] = {
	[WEFT_SET_NS] = {times, sizeof times / sizeof times[0], "2us"},
	[WEFT_SET_RATE] = {rates, sizeof rates / sizeof rates[0], "10GB/s"},
	[WEFT_SET_RATIO] = {ratios, sizeof ratios / sizeof ratios[0], "1.5"},
	[WEFT_SET_COUNT] = {counts, sizeof counts / sizeof counts[0], "4"},
	[WEFT_SET_BYTES] = {bytes, sizeof bytes / sizeof bytes[0], "16K"},
	[WEFT_SET_WORD] = {NULL, 0, "logarithmic"},
};

static int parse_word(struct weft_str text, double *out)
{
	for (unsigned i = 0; i < MODELS; i++)
		if (weft_str_eq(text, models[i])) {
			*out = i;
			return 0;
		}
	return WEFT_E_SYNTAX;
}

int weft_replay_setting_parse(enum weft_setting which, struct weft_str text, double *out, struct weft_err *err)
{
	const enum weft_setting_kind kind = weft_setting_rows[which].kind;
	struct weft_str unit;
	double number;
	if (kind == WEFT_SET_WORD && !parse_word(text, out))
		return 0;
	if (kind != WEFT_SET_WORD && split_number(text, &number, &unit)) {
		if (number == 0 && !unit.n) {
			*out = 0;
			return 0;
		}
		for (size_t i = 0; i < kinds[kind].n; i++)
			if (weft_str_eq(unit, kinds[kind].unit[i].name) &&
			    (kind != WEFT_SET_COUNT || (number == floor(number) && number < 1e9))) {
				*out = number * kinds[kind].unit[i].factor;
				return 0;
			}
	}
	return weft_err_set(err, WEFT_E_SYNTAX, "'%s' wants a value like %s, not '%.*s'", weft_setting_rows[which].name,
	                    kinds[kind].example, (int)text.n, text.at);
}

char *weft_replay_setting_print(enum weft_setting which, double value, char *out)
{
	switch (weft_setting_rows[which].kind) {
	case WEFT_SET_NS:
		if (value >= 1e9)
			snprintf(out, 40, "%.6gs", value / 1e9);
		else if (value >= 1e6)
			snprintf(out, 40, "%.6gms", value / 1e6);
		else if (value >= 1e3)
			snprintf(out, 40, "%.6gus", value / 1e3);
		else
			snprintf(out, 40, "%.6gns", value);
		break;
	case WEFT_SET_RATE:
		if (value <= 0)
			snprintf(out, 40, "0");
		else if (value >= 1)
			snprintf(out, 40, "%.6gGB/s", value);
		else
			snprintf(out, 40, "%.6gMB/s", value * 1e3);
		break;
	case WEFT_SET_WORD:
		snprintf(out, 40, "%s", value >= 0 && value < MODELS ? models[(unsigned)value] : "?");
		break;
	default:
		snprintf(out, 40, "%.6g", value);
	}
	return out;
}

/* ---- memory, by region ---- */

bool weft_replay_settings_memory(struct weft_replay_settings *s, struct weft_str name, struct weft_str value, int *rc,
                                 struct weft_err *err)
{
	struct weft_str pattern = name, before;
	double share;
	*rc = 0;
	if (!memchr(name.at, ':', name.n))
		return false;
	weft_str_cut(&pattern, ':', &before);
	if (!weft_str_eq(before, weft_setting_rows[WEFT_SET_MEMORY_SHARE].name))
		return false;
	if (!pattern.n || pattern.n >= WEFT_MEMORY_PATTERN || s->n_memory == WEFT_MEMORY_RULES)
		*rc = weft_err_set(err, WEFT_E_SYNTAX, "'%.*s': it names no region, or too long a one, or is one of more than %d",
		                   (int)name.n, name.at, WEFT_MEMORY_RULES);
	else
		*rc = weft_replay_setting_parse(WEFT_SET_MEMORY_SHARE, value, &share, err);
	if (!*rc && share > 1)
		*rc = weft_err_set(err, WEFT_E_SYNTAX, "the share of memory bandwidth is not between 0 and 1");
	if (*rc)
		return true;
	snprintf(s->memory[s->n_memory].pattern, WEFT_MEMORY_PATTERN, "%.*s", (int)pattern.n, pattern.at);
	s->memory[s->n_memory++].share = share;
	return true;
}

double weft_replay_settings_memory_of(const struct weft_replay_settings *s, const char *region)
{
	for (unsigned i = 0; i < s->n_memory; i++)
		if (weft_glob(s->memory[i].pattern, region))
			return s->memory[i].share;
	return -1;
}

/* ---- files ---- */

int weft_replay_settings_topology(struct weft_replay_settings *s, struct weft_str text, const char *file, struct weft_err *err)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	const size_t folder = slash ? (size_t)(slash - file) : 0;
	if (s->topology.text[0])
		return 0;
	if (!text.n)
		return weft_err_set(err, WEFT_E_SYNTAX, "'topology' wants a value like fat-tree:k=4");
	if (text.n >= sizeof s->topology.text || folder + 1 >= sizeof s->topology.folder)
		return weft_err_set(err, -ENAMETOOLONG, "'topology': its text, or the folder that it is in, is too long");
	snprintf(s->topology.text, sizeof s->topology.text, "%.*s", (int)text.n, text.at);
	snprintf(s->topology.folder, sizeof s->topology.folder, "%.*s", slash == file ? 1 : (int)folder, file ? file : "");
	return 0;
}

int weft_replay_settings_parse(struct weft_replay_settings *s, const char *at, size_t n, const char *name, struct weft_err *err)
{
	struct weft_str all = weft_str_n(at, n), line, key;
	for (unsigned number = 1; weft_str_cut(&all, '\n', &line); number++) {
		const char *mark = memchr(line.at, '#', line.n);
		line = weft_str_trim(weft_str_n(line.at, mark ? (size_t)(mark - line.at) : line.n));
		if (!line.n)
			continue;
		if (!memchr(line.at, '=', line.n))
			return weft_err_set(err, WEFT_E_SYNTAX, "'%s', line %u: not 'name = value'", name, number);
		weft_str_cut(&line, '=', &key);
		key = weft_str_trim(key);
		line = weft_str_trim(line);
		const int which = weft_replay_setting_find(key);
		double value;
		int rc;
		if (weft_replay_settings_memory(s, key, line, &rc, err)) {
			if (rc)
				return weft_err_prefix(err, "'%s', line %u", name, number);
			continue;
		}
		if (weft_str_eq(key, "topology")) {
			if (weft_replay_settings_topology(s, line, name, err))
				return weft_err_prefix(err, "'%s', line %u", name, number);
			continue;
		}
		if (which < 0)
			return weft_err_set(err, WEFT_E_SYNTAX, "'%s', line %u: unknown setting '%.*s'", name, number, (int)key.n,
			                    key.at);
		rc = weft_replay_setting_parse((enum weft_setting)which, line, &value, err);
		if (rc)
			return weft_err_prefix(err, "'%s', line %u", name, number);
		if (isnan(s->value[which]))
			s->value[which] = value;
	}
	return 0;
}

int weft_replay_settings_read(struct weft_replay_settings *s, const char *path, struct weft_err *err)
{
	char *at;
	size_t n;
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	rc = weft_replay_settings_parse(s, at, n, path, err);
	free(at);
	return rc;
}

/* ---- what they change ---- */

static void set_count(uint32_t *to, double value)
{
	if (!isnan(value))
		*to = (uint32_t)value;
}

static void set_double(double *to, double value)
{
	if (!isnan(value))
		*to = value;
}

void weft_replay_settings_apply(const struct weft_replay_settings *s, struct weft_replay_machine *m)
{
	const double *v = s->value;
	for (size_t i = 0; i < m->kind.n; i++) {
		struct weft_replay_node_kind *k = &m->kind.at[i];
		set_double(&k->inter_latency_ns, v[WEFT_SET_LATENCY]);
		if (!isnan(v[WEFT_SET_CPU]))
			k->ratio *= v[WEFT_SET_CPU];
		set_count(&k->links_in, v[WEFT_SET_LINKS_IN]);
		set_count(&k->links_out, v[WEFT_SET_LINKS_OUT]);
		set_double(&k->intra.latency_ns, v[WEFT_SET_NODE_LATENCY]);
		set_double(&k->intra.bytes_per_ns, v[WEFT_SET_NODE_BANDWIDTH]);
		set_count(&k->intra.links_in, v[WEFT_SET_NODE_LINKS]);
		set_count(&k->intra.links_out, v[WEFT_SET_NODE_LINKS]);
		set_count(&k->intra.buses, v[WEFT_SET_NODE_BUSES]);
		set_count(&k->cpus, v[WEFT_SET_CPUS]);
	}
	for (size_t i = 0; i < m->site.n; i++) {
		set_double(&m->site.at[i].bytes_per_ns, v[WEFT_SET_BANDWIDTH]);
		set_count(&m->site.at[i].buses, v[WEFT_SET_BUSES]);
		if (v[WEFT_SET_COLLECTIVES] < BY_MESSAGES)
			m->site.at[i].model = (uint8_t)v[WEFT_SET_COLLECTIVES];
	}
	set_count(&m->ranks, v[WEFT_SET_RANKS]);
	m->staged = v[WEFT_SET_COLLECTIVES] == BY_MESSAGES;
	m->formulas |= v[WEFT_SET_COLLECTIVES] < BY_MESSAGES;
	if (!isnan(v[WEFT_SET_RANKS_PER_NODE]) && v[WEFT_SET_RANKS_PER_NODE] >= 1) {
		m->map.rule = WEFT_REPLAY_PER_NODE;
		m->map.per_node = (uint32_t)v[WEFT_SET_RANKS_PER_NODE];
	}
	if (!isnan(v[WEFT_SET_OVERHEAD]) || !isnan(v[WEFT_SET_GAP])) {
		m->network = WEFT_REPLAY_LOGGP;
		set_double(&m->loggp.overhead_ns, v[WEFT_SET_OVERHEAD]);
		set_double(&m->loggp.gap_ns, v[WEFT_SET_GAP]);
	}
	set_double(&m->memory_share, v[WEFT_SET_MEMORY_SHARE]);
}
