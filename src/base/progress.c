/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress bar. A step adds to a counter and compares the clock; the thread whose compare-and-swap moves the time of
 * the next drawing is the one that draws. Each drawing is one write of a whole line.
 */
#include "progress.h"
#include "clock.h"
#include "str.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_AFTER_NS 500000000u
#define EVERY_NS 100000000u
enum { BAR_CELLS = 24 };

static const char wipe[] = "\r\033[K";
static _Thread_local struct weft_progress_seen *told;

void weft_progress_tell(struct weft_progress_seen *seen)
{
	told = seen;
}

static void put(const char *at, size_t n)
{
	/* A terminal that is gone is no reason to fail the work. */
	ssize_t written = write(STDERR_FILENO, at, n);
	(void)written;
}

static bool stderr_can_wipe(void)
{
	const char *term = getenv("TERM");
	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void weft_progress_begin(struct weft_progress *p, const char *what, uint64_t total)
{
	*p = (struct weft_progress){.what = what, .total = total, .on = !told && stderr_can_wipe(), .seen = told};
	if (told) {
		weft_store_u64(&told->done, 0);
		weft_store_u64(&told->total, total);
		weft_store_ptr(&told->what, (void *)(uintptr_t)what);
	}
	p->start_ns = weft_monotonic_ns();
	weft_store_u64(&p->next_ns, p->start_ns + FIRST_AFTER_NS);
}

/* "reading  [##########..............]  42 %  1.21 s left" */
static void draw(const struct weft_progress *p, uint64_t now_ns)
{
	char line[160], number[32], bar[BAR_CELLS + 1];
	uint64_t done = weft_load_relaxed_u64(&p->done); /* relaxed: a number to look at */
	int n;
	if (p->total == 0) {
		n = snprintf(line, sizeof line, "%s%.60s  %s", wipe, p->what, weft_human_count(number, done));
	} else {
		double share = done < p->total ? (double)done / (double)p->total : 1;
		size_t full = (size_t)(share * BAR_CELLS);
		memset(bar, '.', BAR_CELLS);
		memset(bar, '#', full);
		bar[BAR_CELLS] = '\0';
		n = snprintf(line, sizeof line, "%s%.30s  [%s] %3d %%", wipe, p->what, bar, (int)(share * 100));
		if (share > 0.01) {
			uint64_t left_ns = (uint64_t)((double)(now_ns - p->start_ns) * (1 - share) / share);
			n += snprintf(line + n, sizeof line - (size_t)n, "  %s left", weft_human_ns(number, left_ns));
		}
	}
	put(line, (size_t)n);
}

void weft_progress_step(struct weft_progress *p, uint64_t more)
{
	if (!p)
		return;
	uint64_t done = weft_add_relaxed_u64(&p->done, more); /* relaxed: carries no other data */
	if (p->seen)
		weft_store_relaxed_u64(&p->seen->done, done + more); /* likewise */
	if (!p->on)
		return;
	uint64_t now_ns = weft_monotonic_ns(), next_ns = weft_load_u64(&p->next_ns);
	if (now_ns >= next_ns && weft_cas_u64(&p->next_ns, &next_ns, now_ns + EVERY_NS))
		draw(p, now_ns);
}

void weft_progress_end(struct weft_progress *p)
{
	bool drawn = weft_load_u64(&p->next_ns) != p->start_ns + FIRST_AFTER_NS;
	if (p->on && drawn)
		put(wipe, sizeof wipe - 1);
	p->on = false;
	if (p->seen)
		weft_store_ptr(&p->seen->what, NULL);
}
