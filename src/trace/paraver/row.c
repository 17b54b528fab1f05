/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .row: a block's n lines are taken as they stand (a name may be empty, or look like anything but a block's head), so that a
 * name keeps its place. A block of an unknown level is skipped by its head alone, as Paraver does.
 */
#include "row.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const row_level_name[ROW_LEVELS] = {"WORKLOAD", "APPL", "TASK", "THREAD", "SYSTEM", "NODE", "CPU"};

/* "LEVEL NODE SIZE 2". level: ROW_LEVELS when it is none of ours. */
static bool block_head(struct weft_str line, enum row_level *level, uint64_t *size)
{
	if (!weft_str_eq(weft_str_word(&line), "LEVEL"))
		return false;
	struct weft_str name = weft_str_word(&line);
	if (!weft_str_eq(weft_str_word(&line), "SIZE") || weft_parse_u64(weft_str_word(&line), size) || line.n)
		return false;
	*level = ROW_WORKLOAD;
	while (*level < ROW_LEVELS && !weft_str_eq(name, row_level_name[*level]))
		++*level;
	return true;
}

static int add_problem(struct row *r, uint64_t line, uint64_t offset, const char *text)
{
	if (r->n_problems++ >= ROW_MOST_PROBLEMS)
		return 0;
	char *z = weft_arena_strdup(&r->arena, text);
	return z ? weft_vec_push(&r->problem, (struct row_problem){line, offset, z}) : -ENOMEM;
}

/* A block that ended before it had the names that it announced. */
static int check_full(struct row *r, const struct row_names *now, uint64_t line, uint64_t offset)
{
	if (!now || now->name.n >= now->size)
		return 0;
	return add_problem(r, line, offset, "a block has fewer names than its SIZE says");
}

static int add_name(struct row *r, struct row_names *now, struct weft_str line)
{
	while (line.n && line.at[line.n - 1] == '\r')
		line.n--;
	char *name = weft_arena_strndup(&r->arena, line.n ? line.at : "", line.n);
	if (!name)
		return -ENOMEM;
	/* White space stays white, else a name might become a block's head; a zero byte would end the name. */
	for (size_t i = 0; i < line.n; i++)
		name[i] = name[i] >= '\t' && name[i] <= '\r' ? ' ' : name[i] ? name[i] : '?';
	weft_one_line(name);
	return weft_vec_push(&now->name, name);
}

int row_parse(struct row *r, const char *text, size_t n)
{
	*r = (struct row){.n_problems = 0};
	struct row_names *now = NULL;
	struct weft_str rest = weft_str_behind_mark(weft_str_n(text, n)), line;
	uint64_t number = 0, size, offset = 0;
	int rc = 0;
	while (!rc && n && weft_str_cut(&rest, '\n', &line)) {
		enum row_level level;
		number++;
		offset = (uint64_t)(line.at - text);
		if (block_head(line, &level, &size)) {
			rc = check_full(r, now, number, offset);
			now = level < ROW_LEVELS ? &r->level[level] : NULL;
			if (now)
				*now = (struct row_names){.name = {now->name.at, 0, now->name.cap}, .size = size, .there = true};
			else if (!rc)
				rc = add_problem(r, number, offset, "a block of an unknown level");
		} else if (now && now->name.n < now->size && (rest.at || line.n)) {
			rc = add_name(r, now, line);
		} else if (now && line.n) {
			rc = add_problem(r, number, offset, "a name beyond the SIZE of its block");
		} else if (!now && number == 1 && line.n) {
			rc = add_problem(r, number, offset, "expected LEVEL <level> SIZE <n>");
		}
	}
	return rc ? rc : check_full(r, now, number, offset);
}

void row_fini(struct row *r)
{
	for (int i = 0; i < ROW_LEVELS; i++)
		free(r->level[i].name.at);
	free(r->problem.at);
	weft_arena_fini(&r->arena);
	*r = (struct row){.n_problems = 0};
}
