/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live display, on stderr: what begins, is decided, is done, goes wrong, a line each with the
 * time since the run began. On a terminal a last line that changes says what is going on, with the
 * values of the last iteration; the lines go above it. Elsewhere values are printed once a second
 * at most, as programs may have thousands of iterations in one: the report and the trace have them
 * all.
 */
#include "analyze_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { VALUES_EVERY_NS = 1000000000, STATUS_EVERY_NS = 250000000, COLUMNS_MOST = 400 };

struct show {
	bool status; /* a status line is on the screen */
	uint64_t values_ns, status_ns, last_events;
	uint64_t skipped;
	char values[COLUMNS_MOST]; /* of the last iteration */
};

int show_begin(struct analyze *a)
{
	a->show = calloc(1, sizeof *a->show);
	return a->show ? 0 : -ENOMEM;
}

static void put(const char *at, size_t n)
{
	/* One write a line, so that it is not torn apart by what the program prints. */
	for (size_t done = 0; done < n;) {
		ssize_t w = write(STDERR_FILENO, at + done, n - done);
		if (w <= 0 && errno != EINTR)
			return;
		done += w > 0 ? (size_t)w : 0;
	}
}

static void clear_status(struct analyze *a)
{
	if (a->show->status)
		put("\r\033[K", 4);
	a->show->status = false;
}

void show_end(struct analyze *a)
{
	if (!a->show)
		return;
	clear_status(a);
	free(a->show);
	a->show = NULL;
}

static void print_line(struct analyze *a, const char *text)
{
	struct weft_buf b = {0};
	clear_status(a);
	weft_buf_printf(&b, "weft tune: %9.3f s  %s", analyze_seconds(a, analyze_now(a)), text);
	if (!b.failed) {
		weft_one_line(b.at);
		weft_buf_putc(&b, '\n');
		put(b.at, b.n);
	}
	weft_buf_fini(&b);
}

static bool is_silent(const struct analyze *a, bool important)
{
	return !a->show || a->lost || (a->how.quiet && !a->how.verbose) || (!important && a->how.quiet);
}

void show_line(struct analyze *a, bool important, const char *fmt, ...)
{
	char text[1200];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	look_say(LOOK_SAID, -1, 0, text);
	if (!is_silent(a, important))
		print_line(a, text);
}

void show_step(struct analyze *a, struct look_what what, const char *fmt, ...)
{
	char text[1200];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	look_say(what.kind, (int)what.tunlet, what.iteration, text);
	if (!is_silent(a, true))
		print_line(a, text);
}

void show_values(struct analyze *a, uint32_t tunlet, int64_t iteration, const double *value, uint32_t n)
{
	uint64_t now = weft_monotonic_ns();
	struct weft_buf b = {0};
	if (!a->show || a->how.quiet || a->lost)
		return;
	bool in_status = a->how.terminal && !a->how.verbose;
	if (!a->how.verbose && !in_status && now - a->show->values_ns < VALUES_EVERY_NS) {
		a->show->skipped++;
		return;
	}
	a->show->values_ns = now;
	weft_buf_printf(&b, "%s, iteration %lld:", weft_spec_name(a->tunlet[tunlet].s), (long long)iteration);
	weft_eval_put_values(a->tunlet[tunlet].e, value, n, false, &b);
	if (a->show->skipped)
		weft_buf_printf(&b, " (%llu more before it)", (unsigned long long)a->show->skipped);
	a->show->skipped = 0;
	if (!b.failed && in_status)
		snprintf(a->show->values, sizeof a->show->values, "%s", b.at);
	else if (!b.failed)
		print_line(a, b.at);
	weft_buf_fini(&b);
}

static unsigned columns(void)
{
	struct winsize w;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || w.ws_col < 20)
		return 79;
	return w.ws_col < COLUMNS_MOST ? w.ws_col - 1u : COLUMNS_MOST;
}

void show_tick(struct analyze *a)
{
	uint64_t now = weft_monotonic_ns(), evaluated = 0, incomplete = 0, done = 0;
	unsigned alive = 0;
	char line[COLUMNS_MOST + 8], rate[32];
	struct show *s = a->show;
	if (!s || !a->how.terminal || a->how.quiet || a->ended || now - s->status_ns < STATUS_EVERY_NS)
		return;
	for (size_t i = 0; i < a->process.n; i++)
		alive += a->process.at[i]->alive && a->process.at[i]->known;
	for (unsigned i = 0; i < a->how.n_tunlets; i++) {
		evaluated += a->tunlet[i].evaluated;
		incomplete += a->tunlet[i].incomplete;
	}
	for (size_t i = 0; i < a->action.n; i++)
		done += a->action.at[i].answered && a->action.at[i].rc == 0;
	weft_human_count(rate, (a->events - s->last_events) * 1000000000u / (now - s->status_ns));
	s->last_events = a->events;
	s->status_ns = now;
	int n = snprintf(line, columns(), "%.1f s: %u process%s, %s events/s, %llu iterations",
	                 analyze_seconds(a, analyze_now(a)), alive, alive == 1 ? "" : "es", rate, (unsigned long long)evaluated);
	if (incomplete && n > 0 && (unsigned)n < columns())
		n += snprintf(line + n, columns() - (unsigned)n, ", %llu not decided upon", (unsigned long long)incomplete);
	if (n > 0 && (unsigned)n < columns())
		n += snprintf(line + n, columns() - (unsigned)n, ", %llu action%s%s%s", (unsigned long long)done,
		              done == 1 ? "" : "s", *s->values ? "; " : "", s->values);
	put("\r\033[K", 4);
	put(line, n > 0 ? strnlen(line, sizeof line) : 0);
	s->status = true;
}
