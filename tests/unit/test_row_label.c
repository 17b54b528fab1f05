/* SPDX-License-Identifier: Apache-2.0 */
/* row_label.c: rows of pictures can be told apart. */
#include "harness.h"
#include "render/row_label.h"

static struct weft_app apps[] = {{.name = "job", .first_process = 0, .n_processes = 5}};
static struct weft_process processes[] = {
	{.first_thread = 0, .n_threads = 2, .rank = 0, .name = "heat"},
	{.first_thread = 2, .n_threads = 1, .rank = 1, .name = "heat"},
	{.first_thread = 3, .n_threads = 3, .rank = -1, .name = "sh"},
	{.first_thread = 6, .n_threads = 1, .rank = -1, .name = "sh"},
	{.first_thread = 7, .n_threads = 1, .rank = 7, .name = ""},
};
static struct weft_thread_row threads[] = {
	{.process = 0, .number = 1, .name = "main"},   {.process = 0, .number = 2, .name = "helper"},
	{.process = 1, .number = 1, .name = "main"},   {.process = 2, .number = 1, .name = "sh"},
	{.process = 2, .number = 2, .name = "writer"}, {.process = 2, .number = 3, .name = ""},
	{.process = 3, .number = 1, .name = "sh"},     {.process = 4, .number = 1, .name = "x"},
};

static void check(const struct weft_trace *t, enum weft_level level, uint32_t object, const char *expected)
{
	struct weft_space s = {.trace = t};
	struct weft_buf b = {0};
	row_label(&s, level, object, &b);
	CHECK_STR(b.at, expected);
	weft_buf_fini(&b);
}

TEST(rows_of_our_traces_have_process_and_thread)
{
	static const char *const of_thread[] =
		{"heat 0 \xc2\xb7 main",   "heat 0 \xc2\xb7 helper",   "heat 1", "sh 1.3 \xc2\xb7 main",
	         "sh 1.3 \xc2\xb7 writer", "sh 1.3 \xc2\xb7 thread 3", "sh 1.4", "rank 7"};
	static const char *const of_process[] = {"heat 0", "heat 1", "sh 1.3", "sh 1.4", "rank 7"};
	const struct weft_trace t = {.format = "weft",
	                             .app = apps,
	                             .n_apps = 1,
	                             .process = processes,
	                             .n_processes = 5,
	                             .thread = threads,
	                             .n_threads = 8};
	for (uint32_t i = 0; i < 8; i++)
		check(&t, WEFT_THREAD, i, of_thread[i]);
	for (uint32_t i = 0; i < 5; i++)
		check(&t, WEFT_TASK, i, of_process[i]);
	check(&t, WEFT_APPL, 0, "job");
}

TEST(rows_of_paravers_traces_are_called_as_there)
{
	const struct weft_trace t = {.format = "prv",
	                             .app = apps,
	                             .n_apps = 1,
	                             .process = processes,
	                             .n_processes = 5,
	                             .thread = threads,
	                             .n_threads = 8};
	check(&t, WEFT_THREAD, 2, "THREAD 1.2.1");
	check(&t, WEFT_TASK, 1, "TASK 1.2");
}
