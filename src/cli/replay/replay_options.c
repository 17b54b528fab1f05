/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From options to a machine: a file (of ours, or of Dimemas), what single options change in it, and who is faster or elsewhere.
 * `--machine NAME` without a slash or ending is one of those that came with Weft.
 */
#include "replay_options.h"
#include "replay/dimemas/dim_cfg.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which machine ---- */

static bool looks_like_cfg(const char *path)
{
	char first[64];
	FILE *f = fopen(path, "re");
	const size_t n = f ? fread(first, 1, sizeof first, f) : 0;
	if (f)
		fclose(f);
	return weft_replay_is_cfg(first, n);
}

static int find_machine(struct replay_setup *s, const char *name)
{
	struct weft_err err = {0};
	char installed[300], built[300];
	snprintf(s->path, sizeof s->path, "%s", name);
	if (!strchr(name, '/') && !strchr(name, '.')) {
		snprintf(installed, sizeof installed, "../share/weft/machines/%s.machine", name);
		snprintf(built, sizeof built, "../share/weft/machines/%s.machine", name);
		if (cli_find_own((const char *const[]){installed, built}, 2, s->path, sizeof s->path))
			return cli_fail_text("no machine '%s' came with Weft (a file's name has a dot or a slash)", name);
	}
	if (looks_like_cfg(s->path)) {
		s->cfg = s->path;
		return CLI_OK;
	}
	return weft_replay_settings_read(&s->settings, s->path, &err) ? cli_fail(&err) : CLI_OK;
}

static int set_one(struct replay_setup *s, enum weft_setting which, const char *text)
{
	struct weft_err err = {0};
	if (!text)
		return CLI_OK;
	return weft_replay_setting_parse(which, weft_str(text), &s->settings.value[which], &err)
	               ? cli_usage(&weft_command_replay, "%s", err.text)
	               : CLI_OK;
}

static int set_topology(struct replay_setup *s, const char *text)
{
	struct weft_err err = {0};
	return weft_replay_settings_topology(&s->settings, weft_str(text), NULL, &err)
	               ? cli_usage(&weft_command_replay, "%s", err.text)
	               : CLI_OK;
}

static int make_topology(struct replay_setup *s)
{
	const char *folder = s->settings.topology.folder;
	struct weft_err err = {0};
	return weft_topology_make(&s->topology, s->settings.topology.text, folder[0] ? folder : NULL, &err) ? cli_fail(&err)
	                                                                                                    : CLI_OK;
}

static int set_named(struct replay_setup *s, const char *text)
{
	struct weft_str all = weft_str(text), name;
	if (!strchr(text, '='))
		return cli_usage(&weft_command_replay, "option '--set' wants NAME=VALUE, not '%s'", text);
	weft_str_cut(&all, '=', &name);
	const int which = weft_replay_setting_find(name);
	struct weft_err err = {0};
	int rc;
	if (weft_str_eq(name, "topology"))
		return set_topology(s, all.at);
	if (weft_replay_settings_memory(&s->settings, name, all, &rc, &err))
		return rc ? cli_usage(&weft_command_replay, "%s", err.text) : CLI_OK;
	if (which < 0)
		return cli_usage(&weft_command_replay, "option '--set': unknown setting '%.*s'", (int)name.n, name.at);
	return weft_replay_setting_parse((enum weft_setting)which, all, &s->settings.value[which], &err)
	               ? cli_usage(&weft_command_replay, "%s", err.text)
	               : CLI_OK;
}

static int read_rule(struct replay_setup *s, const char *map)
{
	uint64_t n;
	s->has_rule = true;
	if (!strcmp(map, "fill"))
		s->rule = WEFT_REPLAY_FILL;
	else if (!strcmp(map, "interleaved"))
		s->rule = WEFT_REPLAY_INTERLEAVED;
	else if (!weft_parse_u64(weft_str(map), &n) && n && n <= UINT32_MAX) {
		s->rule = WEFT_REPLAY_PER_NODE;
		s->per_node = (uint32_t)n;
	} else
		s->has_rule = false; /* a list */
	return CLI_OK;
}

int replay_setup_init(struct replay_setup *s, const struct replay_args *a)
{
	memset(s, 0, sizeof *s);
	s->args = a;
	weft_replay_settings_init(&s->settings);
	int status = a->topology ? set_topology(s, a->topology) : CLI_OK;
	for (unsigned i = 0; i < a->set.n && !status; i++)
		status = set_named(s, a->set.at[i]);
	const struct {
		enum weft_setting which;
		const char *text;
	} single[] = {{WEFT_SET_LATENCY, a->latency},
	              {WEFT_SET_BANDWIDTH, a->bandwidth},
	              {WEFT_SET_CPU, a->cpu},
	              {WEFT_SET_EAGER, a->eager}};
	for (size_t i = 0; i < sizeof single / sizeof single[0] && !status; i++)
		status = set_one(s, single[i].which, single[i].text);
	if (!status && a->machine)
		status = find_machine(s, a->machine);
	if (!status && s->settings.topology.text[0])
		status = make_topology(s);
	if (!status && a->map)
		status = read_rule(s, a->map);
	if (!status && !isnan(s->settings.value[WEFT_SET_EAGER])) {
		s->how.eager = WEFT_REPLAY_EAGER_BELOW;
		s->how.eager_bytes = (uint64_t)s->settings.value[WEFT_SET_EAGER];
	}
	return status;
}

void replay_setup_fini(struct replay_setup *s)
{
	free(s->rank_ratio);
	free(s->place_speed);
	free(s->place_memory);
	free(s->node);
	weft_topology_free(s->topology);
}

/* ---- ranks and regions ---- */

/* "0,0,1,1": a node for each rank. */
static int read_map(struct replay_setup *s, const char *map, uint32_t n_ranks)
{
	struct weft_str all = weft_str(map), part;
	uint32_t n = 0;
	uint64_t v;
	s->node = calloc(n_ranks + 1, sizeof *s->node);
	if (!s->node)
		return cli_fail_code(-ENOMEM);
	while (weft_str_cut(&all, ',', &part)) {
		if (weft_parse_u64(weft_str_trim(part), &v) || v > UINT32_MAX)
			return cli_usage(&weft_command_replay,
			                 "option '--map' wants fill, interleaved, N, or a node for each rank (0,0,1,1), not '%s'",
			                 map);
		if (n < n_ranks)
			s->node[n] = (uint32_t)v;
		n++;
	}
	return n == n_ranks ? CLI_OK : cli_fail_text("option '--map' names the nodes of %u ranks, but there are %u", n, n_ranks);
}

/* "4-7=0.5" */
static int read_rank_speed(struct replay_setup *s, const char *text, uint32_t n_ranks)
{
	struct weft_str all = weft_str(text), ranks = {0}, first;
	uint64_t from, to;
	double factor;
	if (strchr(text, '='))
		weft_str_cut(&all, '=', &ranks);
	weft_str_cut(&ranks, '-', &first);
	if (weft_parse_u64(first, &from) || (ranks.at && weft_parse_u64(ranks, &to)) || weft_parse_double(all, &factor) ||
	    factor < 0)
		return cli_usage(&weft_command_replay, "option '--rank-speed' wants RANK=FACTOR or FIRST-LAST=FACTOR, not '%s'",
		                 text);
	if (!ranks.at)
		to = from;
	if (to < from || to >= n_ranks)
		return cli_fail_text("option '--rank-speed': there are ranks 0 to %u only", n_ranks - 1);
	for (uint64_t r = from; r <= to; r++)
		s->rank_ratio[r] = factor;
	return CLI_OK;
}

/* What computes outside of all regions has a name, too, as in what-if. */
static const char *place_name(const struct weft_replay_program *p, uint32_t place)
{
	return place ? p->place[place] : "(outside regions)";
}

/* "solve*=2" */
static int read_faster(struct replay_setup *s, const char *text, const struct weft_replay_program *p)
{
	const char *equal = strrchr(text, '=');
	double factor;
	if (!equal || weft_parse_double(weft_str(equal + 1), &factor) || factor <= 0)
		return cli_usage(&weft_command_replay, "option '--faster' wants REGION=FACTOR, not '%s'", text);
	char *pattern = strndup(text, (size_t)(equal - text));
	uint32_t n = 0;
	for (uint32_t i = 0; pattern && i < p->n_places; i++)
		if (weft_glob(pattern, place_name(p, i))) {
			s->place_speed[i] = factor;
			n++;
		}
	free(pattern);
	return n ? CLI_OK : cli_fail_text("no region that computes matches '%.*s'", (int)(equal - text), text);
}

/* Each rule has to match something: else its name is wrong. */
static int set_memory(struct replay_setup *s, const struct weft_replay_program *p)
{
	bool used[WEFT_MEMORY_RULES] = {false};
	if (!s->settings.n_memory)
		return CLI_OK;
	s->place_memory = malloc((p->n_places + 1) * sizeof *s->place_memory);
	if (!s->place_memory)
		return cli_fail_code(-ENOMEM);
	for (uint32_t i = 0; i < p->n_places; i++) {
		s->place_memory[i] = weft_replay_settings_memory_of(&s->settings, place_name(p, i));
		for (unsigned k = 0; k < s->settings.n_memory; k++)
			used[k] |= weft_glob(s->settings.memory[k].pattern, place_name(p, i));
	}
	for (unsigned k = 0; k < s->settings.n_memory; k++)
		if (!used[k])
			return cli_fail_text("no region that computes matches '%s'", s->settings.memory[k].pattern);
	s->how.place_memory = s->place_memory;
	return CLI_OK;
}

int replay_setup_program(struct replay_setup *s, const struct weft_replay_program *p)
{
	const struct replay_args *a = s->args;
	int status = CLI_OK;
	s->n_ranks = p->n_ranks;
	if (a->map && !s->has_rule)
		status = read_map(s, a->map, p->n_ranks);
	if (a->rank_speed.n) {
		s->rank_ratio = calloc(p->n_ranks, sizeof *s->rank_ratio);
		for (uint32_t i = 0; s->rank_ratio && i < p->n_ranks; i++)
			s->rank_ratio[i] = 1;
	}
	if (a->faster.n)
		s->place_speed = calloc(p->n_places + 1, sizeof *s->place_speed);
	if ((a->rank_speed.n && !s->rank_ratio) || (a->faster.n && !s->place_speed))
		return cli_fail_code(-ENOMEM);
	for (unsigned i = 0; i < a->rank_speed.n && !status; i++)
		status = read_rank_speed(s, a->rank_speed.at[i], p->n_ranks);
	for (unsigned i = 0; i < a->faster.n && !status; i++)
		status = read_faster(s, a->faster.at[i], p);
	if (!status)
		status = set_memory(s, p);
	s->how.place_speed = s->place_speed;
	s->how.no_threads = a->no_threads;
	return status;
}

/* ---- a machine ---- */

int replay_make_machine(void *arg, const struct weft_replay_settings *settings, struct weft_replay_machine *m,
                        struct weft_err *err)
{
	const struct replay_setup *s = arg;
	int rc = s->cfg           ? weft_replay_cfg_read(m, s->cfg, NULL, err)
	         : s->args->ideal ? weft_replay_machine_ideal(m)
	                          : weft_replay_machine_usual(m);
	if (rc)
		return rc == -ENOMEM ? weft_err_set(err, rc, "out of memory") : rc;
	weft_replay_settings_apply(settings, m);
	if (s->has_rule) {
		m->map.rule = s->rule;
		m->map.per_node = s->per_node;
	}
	if (s->node) {
		m->map.rule = WEFT_REPLAY_EXPLICIT;
		m->map.node = s->node;
		m->map.n = s->n_ranks;
	}
	if (s->topology)
		weft_replay_machine_connect(m, s->topology);
	m->rank_ratio = s->rank_ratio;
	m->n_rank_ratios = s->rank_ratio ? s->n_ranks : 0;
	rc = weft_replay_machine_check(m, err);
	if (rc)
		weft_replay_machine_fini(m);
	return rc;
}
