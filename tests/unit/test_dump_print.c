/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of events: every kind against goldens, valid JSON whatever the names are, long texts, failures of the output. */
#include "harness.h"
#include "sample_trace.h"
#include "base/json.h"
#include "cli/look/dump_print.h"
#include <errno.h>
#include <stdio.h>

/* All of a trace as lines; malloc'd. */
static char *dump(const struct weft_trace *t, const struct dump_how *how, size_t *n)
{
	char *text = NULL;
	struct dump_printer *p;
	struct weft_merge *m;
	struct weft_event e;
	FILE *to = open_memstream(&text, n);
	REQUIRE(to != NULL);
	MUST(dump_printer_new(&p, t, to, how));
	MUST(weft_merge_new(&m, t, NULL, 0, WEFT_NEVER));
	while (weft_merge_next(m, &e) > 0)
		MUST(dump_printer_event(p, &e));
	MUST(dump_printer_flush(p));
	weft_merge_free(m);
	dump_printer_free(p);
	REQUIRE(fclose(to) == 0);
	return text;
}

static uint64_t check_json_lines(const char *text)
{
	struct weft_str rest = weft_str(text), line;
	uint64_t lines = 0;
	while (weft_str_cut(&rest, '\n', &line)) {
		struct weft_err err = {0};
		if (line.n == 0)
			continue;
		lines++;
		if (weft_json_check(line.at, line.n, &err)) {
			printf("# %.*s\n", (int)line.n, line.at);
			CHECK_STR(err.text, "");
		}
	}
	return lines;
}

TEST(every_kind)
{
	static const struct {
		struct dump_how how;
		const char *golden;
	} rows[] = {{{.json = false}, "dump_sample.txt"},
	            {{.json = true}, "dump_sample.jsonl"},
	            {{.delta = true}, "dump_sample_delta.txt"}};
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t n;
		char *text = dump(t, &rows[i].how, &n);
		CHECK(test_golden(text, n, rows[i].golden));
		if (rows[i].how.json)
			CHECK_U64(check_json_lines(text), t->n_events);
		free(text);
	}
	weft_trace_close(t);
}

TEST(random_traces_are_valid_json)
{
	for (unsigned round = 0; round < 5; round++) {
		struct weft_trace *t = sample_random(&(struct sample_random){5, 300, 1000, true});
		size_t n;
		char *text = dump(t, &(struct dump_how){.json = true}, &n);
		CHECK_U64(check_json_lines(text), t->n_events);
		free(text);
		weft_trace_close(t);
	}
}

/* Bytes of all kinds, as a name, a text and a label; more of them than the buffer has room for at first. */
static struct weft_trace *odd_trace(size_t length)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 256 << 20, .threads = 1, .no_index = true};
	char *name = malloc(length + 1);
	REQUIRE(name != NULL);
	for (size_t i = 0; i < length; i++)
		name[i] = (char)(1 + i % 255);
	name[length] = '\0';
	MUST(weft_builder_new(&b, "odd", "test", &how, &err));
	MADE(weft_build_app(b, "a"));
	MADE(weft_build_process(b, &(struct weft_process){.rank = -1,
	                                                  .node = WEFT_NONE,
	                                                  .name = "p",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .end = 9}));
	MADE(weft_build_thread(b, &(struct weft_thread_row){.process = 0, .number = 1, .name = name, .end = 9}));
	uint32_t region = MADE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = name}));
	uint32_t type = MADE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = name, .unit = name}));
	uint32_t string = MADE(weft_build_string(b, name, length));
	MUST(weft_build_label(b, type, 5, name));
	struct weft_appender *a = weft_builder_appender(b, 0);
	MUST(weft_append(a, 1, weft_what(WEFT_EV_ENTER, region), 0));
	MUST(weft_append(a, 2, weft_what(WEFT_EV_POINT, type), 5));
	MUST(weft_append(a, 3, weft_what(WEFT_EV_POINT_S, type), string));
	MUST(weft_append(a, 4, weft_what(WEFT_EV_POINT_F, type), sample_double(1.0 / 0.0)));
	MUST(weft_append(a, 5, weft_what(WEFT_EV_CPU, 0), WEFT_NONE));
	MUST(weft_build_finish(b, NULL, &t, &err));
	free(name);
	return t;
}

TEST(odd_and_long_names)
{
	static const size_t lengths[] = {0, 255, 5000, 400000};
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		struct weft_trace *t = odd_trace(lengths[i]);
		size_t n;
		char *text = dump(t, &(struct dump_how){.json = true}, &n);
		CHECK_U64(check_json_lines(text), 5);
		free(text);
		text = dump(t, &(struct dump_how){.json = false}, &n);
		uint64_t lines = 0, control = 0;
		for (size_t k = 0; k < n; k++) {
			lines += text[k] == '\n';
			control += ((unsigned char)text[k] < ' ' && text[k] != '\n') || text[k] == 0x7f;
		}
		CHECK_U64(lines, 5);
		CHECK_U64(control, 0);
		free(text);
		weft_trace_close(t);
	}
}

TEST(a_full_disk_is_reported)
{
	struct weft_trace *t = sample_fixed();
	FILE *to = fopen("/dev/full", "w");
	struct dump_printer *p;
	struct weft_event e = {5, 0, WEFT_EV_ENTER, 1, 0};
	if (!to)
		SKIP("no /dev/full");
	int rc = dump_printer_new(&p, t, to, &(struct dump_how){.json = false});
	REQUIRE(rc == 0);
	for (unsigned i = 0; i < 100000 && rc == 0; i++)
		rc = dump_printer_event(p, &e);
	CHECK_I64(rc, -ENOSPC);
	dump_printer_free(p);
	fclose(to);
	weft_trace_close(t);
}

TEST(failed_allocations_are_reported)
{
	struct weft_trace *t = sample_fixed();
	TEST_EACH_ALLOCATION_FAILS {
		struct dump_printer *p;
		int rc = dump_printer_new(&p, t, stdout, &(struct dump_how){.json = true});
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK((rc == 0) == (p != NULL));
		dump_printer_free(p);
	}
	weft_trace_close(t);
}
