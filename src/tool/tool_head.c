/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header as the foreign tools write it again, and the files beside a trace. Most tools keep the date as it stands; those
 * that work on a loaded trace write it in their library's long form. A unit other than microseconds becomes ns, as there.
 */
#include "tool_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* "2024-Jan-01 10:00:00", with ".123000" behind it where there is a fraction. False: the date has a form that nobody knows. */
static bool write_long_date(struct weft_str date, struct tool_text *out)
{
	static const char month[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	uint64_t ns;
	char text[64];
	struct tm tm;
	if (!prv_date_parse(date, &ns))
		return false;
	time_t seconds = (time_t)(ns / 1000000000u);
	if (!gmtime_r(&seconds, &tm))
		return false;
	unsigned us = (unsigned)(ns % 1000000000u / 1000);
	int n = snprintf(text, sizeof text, "%04d-%s-%02d %02d:%02d:%02d", tm.tm_year + 1900, month[tm.tm_mon], tm.tm_mday,
	                 tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (us)
		n += snprintf(text + n, sizeof text - (size_t)n, ".%06u", us);
	tool_text_add(out, text, (size_t)n);
	return true;
}

void tool_head_write(const struct tool_input *in, uint64_t end, bool long_date, struct tool_text *out)
{
	const char *line = in->line.at;
	struct weft_str date = {line + in->date, in->date_end - in->date};
	tool_text_add(out, line, in->date);
	if (!long_date || !write_long_date(date, out))
		tool_text_add(out, date.at, date.n);
	tool_text_add(out, line + in->date_end, in->end_at - in->date_end);
	tool_text_u64(out, end);
	if (in->head.unit != PRV_US)
		tool_text_add(out, "_ns", 3);
	struct weft_str rest = {line + in->end_rest, in->line.n - in->end_rest};
	if (!in->head.n_comms && rest.n > 3 && !memcmp(rest.at + rest.n - 3, "),0", 3))
		rest.n -= 2; /* no communicators are not counted */
	tool_text_add(out, rest.at, rest.n);
	tool_text_char(out, '\n');
	tool_text_add(out, in->comms.at, in->comms.n);
}

bool tool_head_cpu(const struct prv_header *h, uint64_t cpu)
{
	return !h->n_cpus || cpu <= h->n_cpus;
}

bool tool_head_thread(const struct prv_header *h, uint64_t app, uint64_t task, uint64_t thread, uint32_t *row)
{
	if (app - 1 >= h->n_apps || task - 1 >= h->app[app - 1].n_tasks)
		return false;
	const struct prv_task *t = &h->task[h->app[app - 1].first_task + task - 1];
	if (thread - 1 >= t->n_threads)
		return false;
	*row = t->first_thread + (uint32_t)(thread - 1);
	return true;
}

int weft_tool_trace_end(const char *in, uint64_t *end, uint64_t *unit_ns, struct weft_err *err)
{
	struct tool_input input;
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	*end = input.head.end;
	*unit_ns = prv_unit_ns[input.head.unit];
	tool_input_close(&input);
	return 0;
}

/* -- the files beside it -- */

int tool_pcf_read(struct pcf *p, const char *prv, struct weft_err *err)
{
	*p = (struct pcf){.n_problems = 0};
	char *path = weft_tool_beside(prv, ".pcf"), *text = NULL;
	size_t n = 0;
	int rc = path ? 0 : -ENOMEM;
	if (!rc && access(path, F_OK) == 0)
		rc = weft_read_file(path, &text, &n, err);
	if (!rc && text)
		rc = pcf_parse(p, text, n);
	free(text);
	free(path);
	return rc ? weft_err_set(err, rc, "cannot read the labels of '%s': %s", prv, weft_err_name(rc)) : 0;
}

static int copy_one(const char *in, const char *out, const char *suffix, struct weft_err *err)
{
	char *from = weft_tool_beside(in, suffix), *to = weft_tool_beside(out, suffix), *text = NULL;
	size_t n = 0;
	int rc = from && to ? 0 : weft_err_set(err, -ENOMEM, "cannot copy '%s': no memory", in);
	if (!rc && access(from, F_OK) == 0 && strcmp(from, to) != 0) {
		rc = weft_read_file(from, &text, &n, err);
		if (!rc)
			rc = tool_output_whole(to, &(struct weft_buf){.at = text, .n = n}, err);
	}
	free(text);
	free(from);
	free(to);
	return rc;
}

int tool_copy_beside(const char *in, const char *out, bool pcf, struct weft_err *err)
{
	int rc = pcf ? copy_one(in, out, ".pcf", err) : 0;
	return rc ? rc : copy_one(in, out, ".row", err);
}
