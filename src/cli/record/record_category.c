/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories that --on and --off name, held against those that the command's processes had. Programs make categories as they run, so
 * a name that is wrong shows at the end only. Definitions stand in pages of their own, anywhere in a stream: all heads are read.
 */
#include "base/log.h"
#include "base/str.h"
#include "record_run.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_SHOWN = 12 };

bool record_category_asked(const struct record_args *a)
{
	return a->on.n || a->off.n;
}

static void note_page(struct weft_intern *had, const struct weft_page *p)
{
	struct weft_page_walk w;
	struct weft_record r;
	const char *text;
	uint32_t n, id;
	enum weft_page_verdict v = weft_page_begin(&w, p, false);
	while (v != WEFT_PAGE_EMPTY && v != WEFT_PAGE_BAD && weft_page_next(&w, &r) > 0)
		if (r.kind == WEFT_EV_DEF_CATEGORY && weft_record_bytes(&r, 0, &text, &n) &&
		    weft_intern_add(had, weft_str_n(text, n), &id))
			return; /* without memory a name more is said to be missing */
}

void record_note_categories(struct weft_intern *had, int fd, uint64_t pages)
{
	_Alignas(8) unsigned char at[WEFT_PAGE_BYTES];
	const struct weft_page *p = (const void *)at;
	for (uint64_t i = 1; i < pages; i++) {
		off_t place = (off_t)(i * sizeof at);
		if (pread(fd, at, offsetof(struct weft_page, word), place) != (ssize_t)offsetof(struct weft_page, word) ||
		    p->type != WEFT_PAGE_META)
			continue;
		if (pread(fd, at, sizeof at, place) == (ssize_t)sizeof at)
			note_page(had, p);
	}
}

static bool was_there(const struct weft_intern *had, const char *pattern)
{
	for (size_t i = 0; i < had->n; i++)
		if (weft_glob(pattern, had->name[i]))
			return true;
	return false;
}

static void say_missing(const struct weft_intern *had, const char *option, const char *pattern)
{
	struct weft_buf known = {0};
	for (size_t i = 0; i < had->n && i < NAMES_SHOWN; i++)
		weft_buf_printf(&known, "%s%s", i ? ", " : "", had->name[i]);
	if (had->n > NAMES_SHOWN)
		weft_buf_puts(&known, ", ...");
	weft_log(WEFT_LOG_WARN, "option '--%s': no process had a category '%s' (%s%s)", option, pattern,
	         had->n ? "there were: " : "there were none", known.failed || !known.n ? "" : known.at);
	weft_buf_fini(&known);
}

static void check_list(const struct weft_intern *had, const char *option, const struct weft_opt_list *list)
{
	for (unsigned i = 0; i < list->n; i++) {
		struct weft_str rest = weft_str(list->at[i]), part;
		char pattern[300];
		while (weft_str_cut(&rest, ',', &part)) {
			snprintf(pattern, sizeof pattern, "%.*s", (int)part.n, part.at);
			if (part.n && !was_there(had, pattern) && !record_names_runtime(pattern))
				say_missing(had, option, pattern);
		}
	}
}

bool record_lists(const struct weft_opt_list *list, const char *category)
{
	for (unsigned i = 0; i < list->n; i++) {
		struct weft_str rest = weft_str(list->at[i]), part;
		char pattern[300];
		while (weft_str_cut(&rest, ',', &part)) {
			snprintf(pattern, sizeof pattern, "%.*s", (int)part.n, part.at);
			if (part.n && weft_glob(pattern, category))
				return true;
		}
	}
	return false;
}

void record_check_categories(const struct record_args *a, const struct weft_intern *had)
{
	check_list(had, "on", &a->on);
	check_list(had, "off", &a->off);
}
