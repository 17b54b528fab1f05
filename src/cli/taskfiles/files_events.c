/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files events`, starpu_fxt_number_events_to_names.py: number_events.data with names in place of keys. Ours says the names itself, in
 * comments ("# 0x5102<TAB>NAME"); of StarPU's those keys are known here whose events its other files show.
 */
#include "files_cli.h"
#include "base/log.h"
#include "taskfiles/data_rows.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t key;
	const char *name;
} known[] = {
	{0x5100, "WORKER_INIT_START"},
	{0x5101, "WORKER_INIT_END"},
	{0x5102, "START_CODELET_BODY"},
	{0x5103, "END_CODELET_BODY"},
	{0x5104, "JOB_PUSH"},
	{0x5105, "JOB_POP"},
	{0x5106, "START_FETCH_INPUT"},
	{0x5108, "END_FETCH_INPUT"},
	{0x5109, "START_PUSH_OUTPUT"},
	{0x5110, "END_PUSH_OUTPUT"},
	{0x5111, "TAG"},
	{0x5112, "TAG_DEPS"},
	{0x5113, "TASK_DEPS"},
	{0x5114, "DATA_COPY"},
	{0x5115, "WORK_STEALING"},
	{0x5116, "WORKER_DEINIT_START"},
	{0x5117, "WORKER_DEINIT_END"},
	{0x5118, "WORKER_SLEEP_START"},
	{0x5119, "WORKER_SLEEP_END"},
	{0x511a, "TASK_SUBMIT"},
	{0x511b, "CODELET_DATA_HANDLE"},
	{0x511c, "MODEL_NAME"},
	{0x511d, "DATA_NAME"},
	{0x511e, "DATA_COORDINATES"},
	{0x511f, "HANDLE_DATA_UNREGISTER"},
	{0x5122, "NEW_MEM_NODE"},
	{0x5123, "START_CALLBACK"},
	{0x5124, "END_CALLBACK"},
	{0x5125, "TASK_DONE"},
	{0x5126, "TAG_DONE"},
	{0x512b, "TASK_NAME"},
	{0x512c, "DATA_WONT_USE"},
	{0x512f, "TASK_LINE"},
	{0x5137, "START_PROGRESS"},
	{0x513a, "SET_PROFILING"},
	{0x513e, "CODELET_DETAILS"},
	{0x513f, "CODELET_DATA"},
	{0x5168, "START_EXECUTING"},
	{0x5169, "END_EXECUTING"},
	{0x516e, "TASK_SUBMIT_START"},
	{0x516f, "TASK_SUBMIT_END"},
};

struct names {
	struct weft_map by_key; /* key -> word */
	struct weft_intern word;
};

static bool parse_key(struct weft_str text, uint64_t *out)
{
	char digits[24], *end;
	text = weft_str_trim(text);
	if (text.n < 3 || text.n > 18 || text.at[0] != '0' || (text.at[1] | 32) != 'x')
		return false;
	snprintf(digits, sizeof digits, "%.*s", (int)(text.n - 2), text.at + 2);
	*out = strtoull(digits, &end, 16);
	return !*end && digits[0] != '-' && digits[0] != '+';
}

/* A comment that names a key. */
static int learn(struct names *n, struct weft_str line)
{
	struct weft_str rest = weft_str_trim(weft_str_n(line.at + 1, line.n - 1)), key_text = weft_str_word(&rest);
	uint64_t key;
	uint32_t id;
	if (!parse_key(key_text, &key) || !rest.n)
		return 0;
	return weft_intern_add(&n->word, rest, &id) || weft_map_put(&n->by_key, key, id) ? -ENOMEM : 0;
}

static const char *name_of(const struct names *n, uint64_t key, char room[32])
{
	uint64_t id;
	if (weft_map_get(&n->by_key, key, &id))
		return n->word.name[id];
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].key == key)
			return known[i].name;
	snprintf(room, 32, "0x%" PRIx64, key);
	return room;
}

static int take(const struct names *n, const struct text_lines *from, struct weft_str line, struct weft_table *t,
                struct weft_err *err)
{
	struct weft_str rest = weft_str_trim(line), key_text = weft_str_word(&rest);
	uint64_t key, count;
	char room[32];
	if (!parse_key(key_text, &key) || weft_parse_u64(rest, &count))
		return text_lines_wrong(from, err, "expected '0xKEY' and a count, found '%.*s'", (int)(line.n < 60 ? line.n : 60),
		                        line.at);
	return weft_table_row(t, (struct weft_cell[]){{WEFT_CELL_TEXT, {.text = name_of(n, key, room)}},
	                                              {WEFT_CELL_U64, {.u64 = count}}})
	               ? weft_err_set(err, -ENOMEM, "out of memory")
	               : 0;
}

static int read_events(const char *path, struct weft_table *t)
{
	struct names n = {.by_key = {0}};
	struct text_lines *from;
	struct weft_err err = {0};
	struct weft_str line;
	int rc, status = files_open(&from, path);
	if (status)
		return status;
	while ((rc = text_lines_next(from, &line, &err)) > 0) {
		if (!weft_str_trim(line).n)
			continue;
		rc = *line.at == '#' ? learn(&n, line) : take(&n, from, line, t, &err);
		if (rc)
			break;
	}
	text_lines_close(from);
	weft_map_fini(&n.by_key);
	weft_intern_fini(&n.word);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}

int files_events(const struct files_args *a, char **operand, int n)
{
	static const struct weft_column columns[] = {{"event", "event", WEFT_CELL_TEXT}, {"n", "n", WEFT_CELL_U64}};
	struct weft_table t;
	(void)n;
	weft_table_init(&t, columns, 2);
	int status = read_events(operand[0], &t);
	if (!status && !a->foreign)
		return cli_table(&t, &a->common);
	for (size_t i = 0; i < t.cell.n && !status; i += 2)
		printf("%s\t%" PRIu64 "\n", t.cell.at[i].text, t.cell.at[i + 1].u64);
	weft_table_fini(&t);
	return status;
}
