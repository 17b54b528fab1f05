/* SPDX-License-Identifier: Apache-2.0 */
/* What part of a run is recorded: some ranks, while a file exists. */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <fcntl.h>

enum { ROUNDS = 5, EACH = 100 };

CHILD(one_event)
{
	weft_point(weft_define_type("type", "", 0), 7);
	return 0;
}

static unsigned streams_in(const char *dir)
{
	unsigned n = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		n += strstr(e->d_name, ".stream") != NULL;
	if (d)
		closedir(d);
	return n;
}

TEST(some_ranks)
{
	static const struct {
		const char *ranks;
		int rank; /* -1: none */
		unsigned streams;
	} cases[] = {{"0-3,7", 0, 1}, {"0-3,7", 3, 1}, {"0-3,7", 4, 0},  {"0-3,7", 7, 1}, {"0-3,7", 8, 0},
	             {"5", 5, 1},     {"5", 50, 0},    {"0-3,7", -1, 1}, {"x", 9, 1},     {"", 9, 1}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char dir[600], rank[64] = "";
		snprintf(dir, sizeof dir, "%s/%u.weft", test_dir(), i);
		if (cases[i].rank >= 0)
			snprintf(rank, sizeof rank, "PMI_RANK=%d", cases[i].rank);
		CHECK_I64(child_run("one_event", "WEFT_DIR=%s WEFT_RANKS=%s %s", dir, cases[i].ranks, rank), 0);
		CHECK_U64(streams_in(dir), cases[i].streams);
	}
}

/* Events of type 1 while it is on, of type 2 while it is off: the child waits until the recorder has seen the file come or go. */
static bool wait_until(int on)
{
	struct weft_status s;
	WAIT_FOR((weft_get_status(&s), s.recording == on));
	return s.recording == on;
}

CHILD(comes_and_goes)
{
	const char *file = getenv("WEFT_WHILE");
	weft_type on = weft_define_type("on", "", 0), off = weft_define_type("off", "", 0);
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < EACH; k++)
			weft_point(off, k);
		int fd = open(file, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || close(fd) || !wait_until(1))
			return 1;
		for (int k = 0; k < EACH; k++)
			weft_point(on, k);
		if (unlink(file) || !wait_until(0))
			return 2;
	}
	return 0;
}

struct seen {
	unsigned n[3], threads[2];
};

static void see(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct seen *s = arg;
	(void)thread;
	if (r->kind == WEFT_EV_POINT && r->id < 3)
		s->n[r->id]++;
	else if (r->kind == WEFT_EV_THREAD && (uint64_t)r->payload[1] >> 32 < 2)
		s->threads[(uint64_t)r->payload[1] >> 32]++;
}

TEST(while_a_file_exists)
{
	struct stream_file f;
	struct seen s = {{0}, {0}};
	REQUIRE(child_run("comes_and_goes", "WEFT_DIR=%s/t.weft WEFT_WHILE=%s/go", test_dir(), test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	stream_visit(&f, see, &s);
	CHECK_U64(s.n[1], ROUNDS * EACH);
	CHECK_U64(s.n[2], 0);
	/* Who switches is a thread of ours, and says so. */
	CHECK_U64(s.threads[0], 1);
	CHECK_U64(s.threads[1], 1);
	stream_free(&f);
}
