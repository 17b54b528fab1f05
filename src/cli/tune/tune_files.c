/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft tune` finds and reads before anything runs: the agent, the tunlets, and what the command line says of their actors. */
#include "tune/derive/derive.h"
#include "tune_run.h"
#include "base/log.h"
#include "base/vec.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int tune_agent_path(char *out, size_t room, struct weft_err *err)
{
	/* Beside the program in a build folder, else as installed: bin/weft and ../lib. */
	static const char *const places[] = {"libweft-agent.so", "../lib/libweft-agent.so"};
	const char *said = getenv("WEFT_AGENT");
	if (said && *said) {
		if (snprintf(out, room, "%s", said) < (int)room && access(out, R_OK) == 0)
			return 0;
		return weft_err_set(err, -ENOENT, "WEFT_AGENT is '%s', which cannot be read", said);
	}
	if (cli_find_own(places, 2, out, room) == 0)
		return 0;
	return weft_err_set(err, -ENOENT, "libweft-agent.so is neither beside this program nor in ../lib");
}

/* One that came with Weft. */
static int find_shipped(const char *given, char *out, size_t room)
{
	char name[300], built[340], installed[340];
	const char *dot = strrchr(given, '.');
	snprintf(name, sizeof name, "%.250s%s", given, dot && strcmp(dot, ".tsl") == 0 ? "" : ".tsl");
	snprintf(built, sizeof built, "../share/weft/tunlets/%s", name);
	snprintf(installed, sizeof installed, "../../share/weft/tunlets/%s", name);
	return cli_find_own((const char *const[]){built, installed}, 2, out, room);
}

int tune_shipped_folder(char *out, size_t room)
{
	return cli_find_own((const char *const[]){"../share/weft/tunlets", "../../share/weft/tunlets"}, 2, out, room);
}

void tune_find_tunlet(const char *given, char *out, size_t room)
{
	bool here = access(given, F_OK) == 0 || strchr(given, '/');
	if (here || find_shipped(given, out, room))
		snprintf(out, room, "%s", given);
}

static int open_tunlet(const struct tune_args *args, const char *given, struct analyze_tunlet_how *out)
{
	char path[PATH_MAX];
	struct weft_err err = {0};
	tune_find_tunlet(given, path, sizeof path);
	if (cli_check_input(path))
		return CLI_USAGE;
	if (weft_spec_open(&out->spec, path, &err))
		return cli_fail(&err);
	if (weft_spec_count(out->spec, WEFT_ERROR)) {
		weft_spec_report(out->spec, WEFT_ERROR, stderr);
		weft_log(WEFT_LOG_ERROR, "'%s' has errors: it cannot run", path);
		return CLI_USAGE;
	}
	if (weft_spec_count(out->spec, WEFT_WARNING) && args->common.verbose)
		weft_spec_report(out->spec, WEFT_WARNING, stderr);
	return CLI_OK;
}

/* "ACTOR=VALUE", or VALUE for all. The actor must be one of a tunlet. */
static int split(const struct analyze_how *how, const struct weft_opt_list *list, const char *option,
                 struct analyze_overrides *out)
{
	const char *known[ANALYZE_OVERRIDES];
	size_t n_known = 0;
	for (unsigned k = 0; k < how->n_tunlets; k++)
		for (unsigned i = 0; weft_spec_actor(how->tunlet[k].spec, i) && n_known < ANALYZE_OVERRIDES; i++)
			known[n_known++] = weft_spec_actor(how->tunlet[k].spec, i);
	for (unsigned i = 0; i < list->n && out->n < ANALYZE_OVERRIDES; i++) {
		const char *equals = strchr(list->at[i], '=');
		/* "!= 0" is a rank, no actor. */
		if (!equals || equals == list->at[i] || strchr("!<>= ", equals[-1])) {
			out->at[out->n++] = (struct analyze_override){NULL, list->at[i]};
			continue;
		}
		char name[200];
		snprintf(name, sizeof name, "%.*s", (int)(equals - list->at[i]), list->at[i]);
		const char *actor = NULL;
		for (size_t k = 0; k < n_known; k++)
			actor = strcmp(known[k], name) == 0 ? known[k] : actor;
		if (!actor) {
			const char *near = weft_nearest(name, known, n_known);
			weft_log(WEFT_LOG_ERROR, "--%s: no tunlet has an actor '%s'%s%s%s", option, name,
			         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
			return CLI_USAGE;
		}
		out->at[out->n++] = (struct analyze_override){actor, equals + 1};
	}
	return CLI_OK;
}

static int check_ranks(const struct analyze_overrides *ranks)
{
	for (unsigned i = 0; i < ranks->n; i++)
		if (!weft_spec_rank_valid(ranks->at[i].value)) {
			weft_log(WEFT_LOG_ERROR, "--rank: '%s' says no ranks (like '0', '1-', '!= 0', '2-4')",
			         ranks->at[i].value);
			return CLI_USAGE;
		}
	return CLI_OK;
}

/* "TUNLET=FILE", or FILE for the only one. */
static int set_handlers(const struct tune_args *args, struct analyze_how *how)
{
	for (unsigned i = 0; i < args->handlers.n; i++) {
		const char *given = args->handlers.at[i], *equals = strchr(given, '=');
		struct analyze_tunlet_how *which = !equals && how->n_tunlets == 1 ? &how->tunlet[0] : NULL;
		for (unsigned k = 0; equals && k < how->n_tunlets; k++) {
			const char *name = weft_spec_name(how->tunlet[k].spec);
			if (strlen(name) == (size_t)(equals - given) && strncmp(name, given, strlen(name)) == 0)
				which = &how->tunlet[k];
		}
		if (!which) {
			weft_log(WEFT_LOG_ERROR, "--handlers: expected TUNLET=FILE with the name of a tunlet, found '%s'", given);
			return CLI_USAGE;
		}
		which->handlers = equals ? equals + 1 : given;
		if (cli_check_input(which->handlers))
			return CLI_USAGE;
	}
	return CLI_OK;
}

/* Where there are other hosts, and so collectors, their number follows the load unless something else is said. */
static bool is_auto(const struct tune_args *args)
{
	return !args->replay && (args->collectors ? strcmp(args->collectors, "auto") == 0 : args->place.n > 0);
}

/* One host alone has none until they are needed. */
static bool is_alone(const struct tune_args *args)
{
	return !args->replay && !args->collectors && args->place.n == 0;
}

static const char collectors[] = "collectors";

/* One that is given takes the place of ours; for later it stands behind the others. */
static bool find_collectors(struct analyze_how *how, bool later)
{
	for (unsigned i = 0; i < how->n_tunlets; i++) {
		struct analyze_tunlet_how given = how->tunlet[i];
		if (strcmp(weft_spec_name(given.spec), collectors) != 0)
			continue;
		if (later) {
			how->tunlet[i] = how->tunlet[--how->n_tunlets];
			how->tunlet[how->n_tunlets] = given;
		}
		return true;
	}
	return false;
}

/* The tunlet that chooses their number. */
static int add_collectors(const struct tune_args *args, struct analyze_how *how)
{
	bool later = is_alone(args), full = how->n_tunlets == ANALYZE_TUNLETS;
	int status = CLI_OK;
	if (!find_collectors(how, later)) {
		char path[PATH_MAX];
		/* For later nobody has asked for it. */
		if (find_shipped(collectors, path, sizeof path))
			snprintf(path, sizeof path, "%s", later ? "" : collectors);
		if (!*path)
			return CLI_OK;
		if (full && !later)
			weft_log(WEFT_LOG_ERROR, "more than %d tunlets, with the one of --collectors auto", ANALYZE_TUNLETS);
		if (full)
			return later ? CLI_OK : CLI_USAGE;
		status = open_tunlet(args, path, &how->tunlet[how->n_tunlets]);
		how->n_tunlets += !later && status == CLI_OK;
	}
	how->adapts = !later;
	how->may_adapt = later && status == CLI_OK;
	return status;
}

int tune_open(const struct tune_args *args, struct analyze_how *how)
{
	int status = CLI_OK;
	if (args->tunlet.n > ANALYZE_TUNLETS) {
		weft_log(WEFT_LOG_ERROR, "more than %d tunlets", ANALYZE_TUNLETS);
		return CLI_USAGE;
	}
	for (unsigned i = 0; i < args->tunlet.n && status == CLI_OK; i++) {
		status = open_tunlet(args, args->tunlet.at[i], &how->tunlet[i]);
		how->n_tunlets += how->tunlet[i].spec != NULL;
	}
	if (status == CLI_OK && (is_auto(args) || is_alone(args)))
		status = add_collectors(args, how);
	const struct {
		const struct weft_opt_list *list;
		const char *option;
		struct analyze_overrides *out;
	} rows[] = {{&args->exe, "exe", &how->exe},
	            {&args->rank, "rank", &how->rank},
	            {&args->host, "host", &how->host},
	            {&args->enters, "enters", &how->enters}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == CLI_OK; i++)
		status = split(how, rows[i].list, rows[i].option, rows[i].out);
	status = status == CLI_OK ? check_ranks(&how->rank) : status;
	return status == CLI_OK ? set_handlers(args, how) : status;
}

void tune_close(struct analyze_how *how)
{
	for (unsigned i = 0; i < ANALYZE_TUNLETS; i++)
		weft_spec_free(how->tunlet[i].spec);
}

bool tune_when_full(const char *given, bool *waits)
{
	*waits = given && strcmp(given, "wait") == 0;
	return !given || *waits || strcmp(given, "drop") == 0;
}
