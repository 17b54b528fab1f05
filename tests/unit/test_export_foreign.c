/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What real readers of foreign formats say of our files: pj_dump and ViTE of Paje, protoc of Perfetto's. They must accept the fixed
 * trace, with its awkward names, and random ones, and count in them what we count.
 */
#include "sample_export.h"

static void need(const char *program)
{
	int status;
	free(test_shell(&status, "command -v %s", program));
	if (status)
		SKIP("a foreign reader is not installed");
}

static uint64_t lines_of(const char *text, const char *begin)
{
	uint64_t n = strncmp(text, begin, strlen(begin)) == 0;
	char with_newline[64];
	snprintf(with_newline, sizeof with_newline, "\n%s", begin);
	return n + count_of(text, with_newline);
}

/* Runs a reader on the exported file; its output, malloc'd. */
static char *read_by(const char *command, const struct weft_trace *t, const char *format)
{
	int status;
	size_t n;
	free(exported(t, format, NULL, &n));
	char *text = test_shell(&status, command, exported_path(format));
	CHECK_I64(status, 0);
	return text;
}

static uint64_t events_at_end(const struct weft_trace *t)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		MUST(weft_cursor_begin(&c, t, i, t->end, WEFT_NEVER));
		while (weft_cursor_next(&c, &b) > 0)
			n += b.n;
		weft_cursor_end(&c);
	}
	return n;
}

static void check_pj_dump(const struct weft_trace *t, bool marks, bool crowded)
{
	struct sample_counts want = sample_count(t);
	char *text = read_by("pj_dump -l 9 %s 2>&1", t, "paje");
	uint64_t containers = 2 + t->n_apps + t->n_processes + t->n_threads +
	                      (t->n_nodes > 1 ? t->n_nodes : 0); /* the root, "trace" */
	CHECK_U64(lines_of(text, "Container,"), containers);
	CHECK_U64(lines_of(text, "Link,"), want.messages + want.flows);
	uint64_t states = want.kind[WEFT_EV_STATE];
	if (marks)
		CHECK(lines_of(text, "State,") >= want.spans + states); /* a region below others is ended and begun anew */
	else
		CHECK_U64(lines_of(text, "State,"), want.spans + states);
	/* A variable has a line from each value to the next; of several at one instant pj_dump keeps the last. */
	if (crowded)
		CHECK(lines_of(text, "Variable,") <= want.counter_values &&
		      lines_of(text, "Variable,") > want.counter_values / 2);
	else
		CHECK_U64(lines_of(text, "Variable,"), want.counter_values);
	uint64_t points = want.half_messages;
	for (unsigned k = 1; k < 64; k++)
		if (k != WEFT_EV_ENTER && k != WEFT_EV_LEAVE && k != WEFT_EV_COUNTER && k != WEFT_EV_COUNTER_F &&
		    k != WEFT_EV_COUNTER_SET && k != WEFT_EV_CPU && k != WEFT_EV_SEND && k != WEFT_EV_RECV &&
		    k != WEFT_EV_STATE && k != WEFT_EV_STATE_END)
			points += want.kind[k];
	/* At the last instant of the trace pj_dump prints only one of several events. */
	uint64_t events = lines_of(text, "Event,") + 2 * want.flows;
	CHECK(events <= points && events + events_at_end(t) >= points + (events_at_end(t) > 0));
	free(text);
}

TEST(pj_dump_counts_what_we_count)
{
	need("pj_dump");
	struct weft_trace *t = sample_fixed();
	check_pj_dump(t, true, false);
	weft_trace_close(t);
	for (unsigned i = 0; i < 4; i++) {
		t = sample_random(&(struct sample_random){.n_threads = 4,
		                                          .n_events = 600,
		                                          .longest_gap = i < 2 ? 7 : 1u << 28,
		                                          .marks = i % 2});
		check_pj_dump(t, i % 2, i < 2);
		weft_trace_close(t);
	}
}

/* The times of regions, as pj_dump has understood them. */
TEST(pj_dump_reads_exact_times)
{
	need("pj_dump");
	struct weft_trace *t = sample_fixed();
	char *text = read_by("pj_dump -l 9 %s | sort", t, "paje");
	CHECK(strstr(text, "\nState, 1.2.1 main, Region, 0.000000600, 0.000002500, 0.000001900, 0.000000000, MPI_Recv\n") !=
	      NULL);
	CHECK(strstr(text, "\nState, 1.1.1 main, Region, 0.003000010, 0.003000500, 0.000000490, 1.000000000, halo, 'wide'\n") !=
	      NULL);
	CHECK(strstr(text,
	             "\nLink, trace, message, 0.000000300, 0.000002400, 0.000002100, world, 1.1.1 main, 1.2.1 main, m1\n") !=
	      NULL);
	free(text);
	weft_trace_close(t);
}

/* ViTE exits with 0 whatever it reads, and names a log in the current folder when it has something to say. */
static void check_vite(const struct weft_trace *t)
{
	int status;
	char *text = read_by("cd $(dirname %1$s) && QT_QPA_PLATFORM=offscreen vite -e out.svg %1$s 2>&1", t, "paje");
	CHECK(strstr(text, "0 errors and 0 warnings were found") != NULL);
	free(text);
	text = test_shell(&status, "cat %s/out.svg", test_dir());
	CHECK_I64(status, 0);
	CHECK(count_of(text, "<rect ") > 2u + t->n_threads); /* containers, and states */
	CHECK(strstr(text, ">1.1.1 main</text>") || strstr(text, ">1.1.1 t</text>"));
	free(text);
}

TEST_IN(TIER_FULL, vite_draws_it_without_a_warning)
{
	need("vite");
	struct weft_trace *t = sample_fixed();
	check_vite(t);
	weft_trace_close(t);
	t = sample_random(&(struct sample_random){.n_threads = 4, .n_events = 600, .longest_gap = 1000, .marks = true});
	check_vite(t);
	weft_trace_close(t);
}

TEST(protoc_decodes_every_packet)
{
	need("protoc");
	struct weft_trace *t = sample_random(&(struct sample_random){.n_threads = 4, .n_events = 600, .longest_gap = 1000});
	struct sample_counts want = sample_count(t);
	char *text = read_by("protoc --decode_raw <%s", t, "perfetto");
	CHECK_U64(lines_of(text, "    9: 1\n"), want.spans);
	CHECK_U64(lines_of(text, "    9: 2\n"), want.spans);
	CHECK_U64(lines_of(text, "    9: 4\n"), want.counter_values);
	free(text);
	weft_trace_close(t);
}
