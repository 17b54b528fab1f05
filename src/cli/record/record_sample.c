/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, counters, call stacks, and who records when: what the command's processes are told. Without an option the user's own environment counts. */
#include "base/str.h"
#include "link/link_counter.h"
#include "record_run.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HZ_MOST = 10000, CALLERS_MOST = 250, SECOND_NS = 1000000000 };

/* NUMBER, or NUMBER:REST. */
static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *n, struct weft_str *rest)
{
	struct weft_str part;
	*rest = weft_str(text);
	return weft_str_cut(rest, ':', &part) && weft_parse_u64(part, n) == 0 && *n >= least && *n <= most;
}

static int check_sample(const char *text, struct weft_err *err)
{
	struct weft_str rest;
	uint64_t hz;
	if (!read_number(text, 1, HZ_MOST, &hz, &rest) || (rest.n && !weft_str_eq(rest, "wall")))
		return weft_err_set(err, -EINVAL,
		                    "option '--sample': expected samples a second (1 to %d) or NUMBER:wall, found '%s'", HZ_MOST,
		                    text);
	return 0;
}

static int check_callers(const char *text, struct weft_err *err)
{
	struct weft_str rest;
	uint64_t n, ns;
	if (!read_number(text, 1, CALLERS_MOST, &n, &rest) || (rest.n && weft_parse_ns(rest, &ns)))
		return weft_err_set(err, -EINVAL, "option '--callers': expected a number (1 to %d) or NUMBER:TIME, found '%s'",
		                    CALLERS_MOST, text);
	return 0;
}

/* Each --counters is a part of WEFT_COUNTERS, or some. */
static int set_counters(const struct weft_opt_list *list, struct weft_err *err)
{
	struct weft_buf text = {0};
	struct link_plans plans;
	for (unsigned i = 0; i < list->n; i++)
		weft_buf_printf(&text, "%s%s", i ? ";" : "", list->at[i]);
	int rc = text.failed ? weft_err_sys(err, ENOMEM, "cannot set the environment") : link_plans_read(text.at, &plans, err);
	if (rc && !text.failed)
		(void)weft_err_prefix(err, "option '--counters'");
	if (!rc && setenv("WEFT_COUNTERS", text.at, 1))
		rc = weft_err_sys(err, errno, "cannot set the environment");
	weft_buf_fini(&text);
	return rc;
}

int record_list_counters(FILE *to)
{
	for (unsigned i = 0; i < link_n_counters; i++) {
		const struct link_counter *c = &link_counters[i];
		int fd = c->source == LINK_COUNTER_PERF ? link_counter_open(c, 0, -1) : 0;
		fprintf(to, "%-24s %-14s %-6s %s%s%s\n", c->name, *c->other ? c->other : "-", *c->unit ? c->unit : "-", c->text,
		        fd < 0 ? "; not here: " : "", fd < 0 ? weft_err_name(fd) : "");
		if (fd > 0)
			(void)close(fd);
	}
	return 0;
}

static int check_first(const char *text, struct weft_err *err)
{
	const char *equals = strrchr(text, '=');
	uint64_t n;
	if (!equals || equals == text || weft_parse_u64(weft_str(equals + 1), &n) || !n)
		return weft_err_set(err, -EINVAL, "option '--first': expected REGION=NUMBER, found '%s'", text);
	return 0;
}

static int check_ranks(const char *text, struct weft_err *err)
{
	struct weft_str rest = weft_str(text), part, from;
	uint64_t first, last;
	do {
		if (!weft_str_cut(&rest, ',', &part) || !weft_str_cut(&part, '-', &from) || weft_parse_u64(from, &first) ||
		    (part.n && (weft_parse_u64(part, &last) || last < first)))
			return weft_err_set(err, -EINVAL, "option '--ranks': expected ranks as 0-3,7, found '%s'", text);
	} while (rest.n);
	return 0;
}

/* Processes have other working directories. */
static int set_while(const char *file, struct weft_err *err)
{
	char here[PATH_MAX], *path = NULL;
	if (!*file)
		return weft_err_set(err, -EINVAL, "option '--while': expected a file, found ''");
	if (*file != '/' && !getcwd(here, sizeof here))
		return weft_err_sys(err, errno, "cannot tell the working directory");
	if (asprintf(&path, "%s%s%s", *file == '/' ? "" : here, *file == '/' ? "" : "/", file) < 0)
		return weft_err_sys(err, ENOMEM, "cannot set the environment");
	int rc = setenv("WEFT_WHILE", path, 1) ? weft_err_sys(err, errno, "cannot set the environment") : 0;
	free(path);
	return rc;
}

static int set_period(const struct record_args *a, struct weft_err *err)
{
	char hz[24];
	if (a->sample)
		return weft_err_set(err, -EINVAL, "--sample and --sample-period exclude each other");
	if (a->sample_period < SECOND_NS / HZ_MOST || a->sample_period > SECOND_NS)
		return weft_err_set(err, -EINVAL, "option '--sample-period': expected a time from 100us to 1s");
	snprintf(hz, sizeof hz, "%llu", (unsigned long long)(SECOND_NS / a->sample_period));
	return setenv("WEFT_SAMPLE", hz, 1) ? weft_err_sys(err, errno, "cannot set the environment") : 0;
}

static int set_bursts(uint64_t ns, struct weft_err *err)
{
	char text[24];
	if (ns == 0 || ns > 1000ull * SECOND_NS)
		return weft_err_set(err, -EINVAL, "option '--bursts': expected a time from 1ns to 1000s");
	snprintf(text, sizeof text, "%llu", (unsigned long long)ns);
	return setenv("WEFT_BURSTS", text, 1) ? weft_err_sys(err, errno, "cannot set the environment") : 0;
}

int record_sample(const struct record_args *a, struct weft_err *err)
{
	int period = a->sample_period == RECORD_NOT_GIVEN ? 0 : set_period(a, err);
	if (period)
		return period;
	const struct {
		const char *text, *variable;
		int (*check)(const char *, struct weft_err *);
	} options[] = {
		{a->sample, "WEFT_SAMPLE", check_sample},
		{a->callers, "WEFT_CALLERS", check_callers},
		{a->ranks, "WEFT_RANKS", check_ranks},
		{a->first, "WEFT_FIRST", check_first},
	};
	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		if (!options[i].text)
			continue;
		int rc = options[i].check(options[i].text, err);
		if (rc)
			return rc;
		if (setenv(options[i].variable, options[i].text, 1))
			return weft_err_sys(err, errno, "cannot set the environment");
	}
	if (a->bursts != RECORD_NOT_GIVEN && a->first)
		return weft_err_set(err, -EINVAL, "--bursts and --first exclude each other");
	if (a->bursts != RECORD_NOT_GIVEN && set_bursts(a->bursts, err))
		return -EINVAL;
	int counters = a->counters.n ? set_counters(&a->counters, err) : 0;
	if (counters)
		return counters;
	return a->while_file ? set_while(a->while_file, err) : 0;
}
