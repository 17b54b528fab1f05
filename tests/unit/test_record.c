/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder as programs see it: what they define and record stands in the stream; switching, modes, status, bad directories. */
#include "base/str.h"
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

WEFT_REGION(at_load, "at load", WEFT_STATE_IO);

/* ---- Everything once ---- */

CHILD(everything)
{
	weft_category mine = weft_define_category("mine", 1);
	weft_region solve = weft_define_region_at("solve", WEFT_STATE_RUNNING, mine, "solve.c", 42);
	weft_type iteration = weft_define_type("iteration", "steps", 0);
	weft_counter flops = weft_define_counter("flops", "flop", mine), joules = weft_define_counter("energy", "J", mine);
	weft_attr size = weft_define_attr("size", "bytes", 0);
	weft_flow submit = weft_define_flow("submit", 0);
	weft_define_own_flow("wake up", mine);
	weft_set set = weft_define_set("both", (weft_counter[]){flops, joules}, 2, 0);
	weft_comm comm = weft_define_comm("pairs", 77, (int[]){3, 1, 4}, 3);
	uint32_t text = weft_define_string("a text");
	weft_define_value(iteration, 5, "five");
	weft_name_thread("the main one");
	weft_name_process("everything");
	weft_name_node("here");
	weft_set_rank(3, 8);

	weft_enter(solve);
	weft_attr_int(size, -7);
	weft_attr_double(size, 0.5);
	weft_attr_string(size, text);
	weft_point(iteration, 5);
	weft_point_double(iteration, 1.5);
	weft_point_string(iteration, text);
	weft_count(flops, 1000);
	weft_count_double(joules, 2.5);
	weft_count_set(set, (uint64_t[]){11, 12}, 2);
	weft_flow_out(submit, 0xabc);
	weft_flow_in(submit, 0xabc);
	weft_send(comm, 1, 99, 4096);
	uint64_t began = weft_ticks();
	weft_recv_since(comm, 2, -1, 8192, began);
	weft_collective(comm, 13, 2, 24, 192);
	weft_sync(123, 456);
	weft_leave(solve);
	return 0;
}

static void check_event(struct stream_file *f, uint32_t kind, uint32_t id, unsigned n, const uint64_t *want)
{
	struct stream_find e = stream_find(f, kind, 0);
	REQUIRE(e.found);
	CHECK_U64(e.r.id, id);
	CHECK_U64(e.r.n, n);
	for (unsigned i = 0; i < n && i < e.r.n && want; i++)
		CHECK_U64(e.r.payload[i], want[i]);
}

TEST(all_that_can_be_recorded_stands_in_the_stream)
{
	struct stream_file f;
	REQUIRE(child_run("everything", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	CHECK_U64(stream_count_in("%s/t.weft", test_dir()), 1);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.head.state, WEFT_STREAM_CLOSED);
	CHECK_U64(f.head.dropped, 0);
	CHECK_U64(f.n_open, 0);

	struct stream_named mine = stream_named(&f, WEFT_EV_DEF_CATEGORY, 0, "mine"),
			    user = stream_named(&f, WEFT_EV_DEF_CATEGORY, 0, "user");
	struct stream_named solve = stream_named(&f, WEFT_EV_DEF_REGION, 2, "solve");
	struct stream_named file = stream_named(&f, WEFT_EV_DEF_STRING, 0, "solve.c"),
			    text = stream_named(&f, WEFT_EV_DEF_STRING, 0, "a text");
	struct stream_named iteration = stream_named(&f, WEFT_EV_DEF_TYPE, 2, "iteration");
	struct stream_named flops = stream_named(&f, WEFT_EV_DEF_COUNTER, 2, "flops"),
			    joules = stream_named(&f, WEFT_EV_DEF_COUNTER, 2, "energy");
	struct stream_named size = stream_named(&f, WEFT_EV_DEF_ATTR, 1, "size"),
			    submit = stream_named(&f, WEFT_EV_DEF_FLOW, 1, "submit");
	struct stream_named wake_up = stream_named(&f, WEFT_EV_DEF_FLOW, 1, "wake up");
	CHECK_U64(submit.word[0], user.id);
	CHECK_U64(wake_up.word[0], mine.id | (uint64_t)WEFT_FLOW_OWN << 32);
	struct stream_named pairs = stream_named(&f, WEFT_EV_DEF_COMM, 2, "pairs");
	REQUIRE(mine.id && user.id && solve.id && file.id && text.id && iteration.id && flops.id && joules.id && size.id &&
	        submit.id && pairs.id);
	CHECK_U64(solve.word[0], mine.id | (uint64_t)WEFT_STATE_RUNNING << 32);
	CHECK_U64(solve.word[1], file.id | 42ull << 32);
	CHECK_U64(iteration.word[0], user.id | (uint64_t)stream_named(&f, WEFT_EV_DEF_STRING, 0, "steps").id << 32);
	CHECK_U64(pairs.word[0], 3);
	CHECK_U64(pairs.word[1], 77);
	check_event(&f, WEFT_EV_DEF_RANKS, pairs.id, 4, (uint64_t[]){0, 3, 1, 4});
	struct stream_named five = stream_named(&f, WEFT_EV_DEF_VALUE, 1, "five");
	CHECK_U64(five.id, iteration.id);
	CHECK_U64(five.word[0], 5);
	struct stream_find set = stream_find(&f, WEFT_EV_DEF_SET, 0);
	REQUIRE(set.found && set.r.n == 2);
	CHECK_U64(set.r.payload[0], flops.id);
	CHECK_U64(set.r.payload[1], joules.id);

	check_event(&f, WEFT_EV_ENTER, solve.id, 0, NULL);
	check_event(&f, WEFT_EV_LEAVE, solve.id, 0, NULL);
	check_event(&f, WEFT_EV_ATTR, size.id, 1, (uint64_t[]){(uint64_t)-7});
	check_event(&f, WEFT_EV_ATTR_F, size.id, 1, (uint64_t[]){weft_double_word(0.5)});
	check_event(&f, WEFT_EV_ATTR_S, size.id, 1, (uint64_t[]){text.id});
	check_event(&f, WEFT_EV_POINT, iteration.id, 1, (uint64_t[]){5});
	check_event(&f, WEFT_EV_POINT_F, iteration.id, 1, (uint64_t[]){weft_double_word(1.5)});
	check_event(&f, WEFT_EV_POINT_S, iteration.id, 1, (uint64_t[]){text.id});
	check_event(&f, WEFT_EV_COUNTER, flops.id, 1, (uint64_t[]){1000});
	check_event(&f, WEFT_EV_COUNTER_F, joules.id, 1, (uint64_t[]){weft_double_word(2.5)});
	check_event(&f, WEFT_EV_COUNTER_SET, set.r.id, 2, (uint64_t[]){11, 12});
	check_event(&f, WEFT_EV_FLOW_OUT, submit.id, 1, (uint64_t[]){0xabc});
	check_event(&f, WEFT_EV_FLOW_IN, submit.id, 1, (uint64_t[]){0xabc});
	check_event(&f, WEFT_EV_SEND, pairs.id, 2, (uint64_t[]){weft_pair_word(1, 99), 4096});
	check_event(&f, WEFT_EV_COLLECTIVE, pairs.id, 3, (uint64_t[]){weft_pair_word(13, 2), 24, 192});
	struct stream_find recv = stream_find(&f, WEFT_EV_RECV, 0);
	REQUIRE(recv.found && recv.r.n == 3);
	CHECK_U64(recv.r.payload[0], weft_pair_word(2, -1));
	CHECK_U64(recv.r.payload[1], 8192);
	CHECK(recv.r.payload[2] < 1000000000);
	struct stream_find sync = stream_find(&f, WEFT_EV_SYNC, 0);
	REQUIRE(sync.found && sync.r.n == 3);
	CHECK(sync.r.payload[0] >= f.head.start_ticks && sync.r.payload[0] <= f.head.end_ticks);
	CHECK_U64(sync.r.payload[1], 123);
	CHECK_U64(sync.r.payload[2], 456);
	CHECK(stream_named(&f, WEFT_EV_THREAD, 3, "the main one").times == 1);
	struct stream_named process = stream_named(&f, WEFT_EV_PROCESS, 3, "everything");
	CHECK(process.times > 0);
	CHECK_U64(process.word[0] & 0xffffffff, f.head.pid);
	CHECK_U64(process.word[1] & 0xffffffff, 3);
	CHECK(stream_find(&f, WEFT_EV_CPU, 0).found);
	CHECK(stream_find(&f, WEFT_EV_MODULE, 0).found);
	CHECK(stream_named(&f, WEFT_EV_DEF_REGION, 2, "at load").id > 0);
	stream_free(&f);
}

static struct weft_str text_of(struct stream_file *f, enum weft_text which)
{
	for (unsigned i = 0;; i++) {
		struct stream_find t = stream_find(f, WEFT_EV_PROCESS_TEXT, i);
		const char *at;
		uint32_t n;
		if (!t.found)
			return weft_str(NULL);
		if (t.r.payload[0] == which && weft_record_bytes(&t.r, 2, &at, &n))
			return weft_str_n(at, n);
	}
}

TEST(the_stream_says_what_the_process_is)
{
	struct stream_file f;
	char cwd[4096], host[65] = "";
	REQUIRE(child_run("everything", "WEFT_DIR=%s/t.weft WEFT_RUN_ID=000102030405060708090a0b0c0d0eff", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK_U64(f.head.run_id[1], 1);
	CHECK_U64(f.head.run_id[15], 0xff);
	CHECK(weft_str_eq(text_of(&f, WEFT_TEXT_CWD), getcwd(cwd, sizeof cwd)));
	gethostname(host, sizeof host - 1);
	CHECK(weft_str_eq(text_of(&f, WEFT_TEXT_HOST), host));
	CHECK(weft_str_eq(text_of(&f, WEFT_TEXT_NODE), "here"));
	CHECK_U64(text_of(&f, WEFT_TEXT_BOOT_ID).n, 36);
	struct weft_str command = text_of(&f, WEFT_TEXT_COMMAND), exe = text_of(&f, WEFT_TEXT_EXE);
	CHECK(command.n > 0 && command.at[command.n - 1] == 0);
	CHECK(exe.n > 0 && exe.at[0] == '/');
	CHECK(text_of(&f, WEFT_TEXT_KERNEL).n > 0);
	stream_free(&f);
}

CHILD(one_region)
{
	weft_enter(at_load);
	weft_leave(at_load);
	return 0;
}

/* The place in a parallel program is that of the first launcher whose variables are numbers; a rank and its process lie in one word. */
TEST(ranks_are_those_of_the_launcher)
{
	static const struct {
		const char *environment;
		int rank;
	} cases[] = {{"PMI_RANK=2 PMI_SIZE=4", 2},
	             {"SLURM_PROCID=5 SLURM_NTASKS=8", 5},
	             {"PMI_RANK=2 PMI_SIZE=4 SLURM_PROCID=5", 2},
	             {"PMI_RANK=x SLURM_PROCID=0 SLURM_NTASKS=1", 0},
	             {"PMI_RANK=4294967296", -1},
	             {"NO_RANK=1", -1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stream_file f;
		REQUIRE(child_run("one_region", "%s WEFT_DIR=%s/r%zu.weft", cases[i].environment, test_dir(), i) == 0);
		REQUIRE(stream_load_in(&f, 0, "%s/r%zu.weft", test_dir(), i));
		struct stream_find e = stream_find(&f, WEFT_EV_PROCESS, 0);
		REQUIRE(e.found && e.r.n >= 2);
		CHECK_I64((int32_t)(uint32_t)e.r.payload[1], cases[i].rank);
		stream_free(&f);
	}
}

/* ---- Definitions ---- */

CHILD(definitions)
{
	weft_region a = weft_define_region("same", WEFT_STATE_IO, 0), b = weft_define_region("same", WEFT_STATE_IO, 0);
	weft_category other = weft_define_category("other", 1);
	weft_region c = weft_define_region("same", WEFT_STATE_IO, other);
	if (a != b || a == c || *a == *c || !*a)
		return 1;
	if (weft_define_type("same", "", 0) == a || *weft_define_type("same", "", 0) != 1u << 12)
		return 2;
	if (weft_define_region("x", WEFT_STATE_IO, WEFT_OFF) != WEFT_OFF ||
	    weft_define_region(NULL, WEFT_STATE_IO, 0) != WEFT_OFF)
		return 3;
	if (weft_define_region("x", WEFT_STATE_IO, a) != WEFT_OFF) /* a region is no category */
		return 4;
	char name[100000];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = 0;
	if (!*weft_define_region(name, WEFT_STATE_IO, 0))
		return 5;
	weft_region many[5000];
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "region %u", i);
		many[i] = weft_define_region(name, WEFT_STATE_RUNNING, 0);
		weft_enter(many[i]);
	}
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "region %u", i);
		if (weft_define_region(name, WEFT_STATE_RUNNING, 0) != many[i])
			return 6;
	}
	return 0;
}

static void count_defs(void *arg, uint32_t thread, const struct weft_record *r)
{
	uint8_t *seen = arg;
	(void)thread;
	if (r->kind == WEFT_EV_DEF_REGION && r->id < 6000)
		seen[r->id]++;
}

TEST(a_name_in_a_category_is_one_definition)
{
	struct stream_file f;
	REQUIRE(child_run("definitions", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	uint8_t seen[6000] = {0};
	stream_visit(&f, count_defs, seen);
	unsigned n = 0;
	for (unsigned i = 1; i < 6000 && seen[i]; i++, n++)
		CHECK_U64(seen[i], 1);
	CHECK_U64(n, 5000 + 4); /* at load, same twice, the long one */
	CHECK_U64(stream_count(&f).of[WEFT_EV_ENTER], 5000);
	stream_free(&f);
}

CHILD(big_comm)
{
	int ranks[2000];
	for (int i = 0; i < 2000; i++)
		ranks[i] = i * 3;
	weft_comm c = weft_define_comm("big", 1, ranks, 2000);
	weft_send(c, 0, 0, 0);
	return *c ? 0 : 1;
}

static void collect_ranks(void *arg, uint32_t thread, const struct weft_record *r)
{
	uint64_t *rank = arg;
	(void)thread;
	if (r->kind == WEFT_EV_DEF_RANKS)
		for (uint32_t i = 1; i < r->n && r->payload[0] + i - 1 < 2000; i++)
			rank[r->payload[0] + i - 1] = r->payload[i];
}

TEST(a_communicator_may_have_many_ranks)
{
	struct stream_file f;
	static uint64_t rank[2000];
	REQUIRE(child_run("big_comm", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	stream_visit(&f, collect_ranks, rank);
	for (unsigned i = 0; i < 2000; i++)
		if (!CHECK_U64(rank[i], i * 3ull))
			break;
	CHECK(stream_is_good(&f));
	stream_free(&f);
}

/* ---- A region and an arrow ---- */

CHILD(arrows)
{
	weft_category off = weft_define_category("off", 0);
	weft_region near = weft_define_region("near", WEFT_STATE_RUNNING, 0), far = near, silent;
	weft_flow arrow = weft_define_flow("arrow", 0), no_arrow = weft_define_flow("no arrow", off), late = arrow;
	char name[32];
	silent = weft_define_region("silent", WEFT_STATE_RUNNING, off);
	for (unsigned i = 0; i < 4200; i++) {
		snprintf(name, sizeof name, "far %u", i);
		far = weft_define_region(name, WEFT_STATE_RUNNING, 0);
	}
	for (unsigned i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "late %u", i);
		late = weft_define_flow(name, 0);
	}
	weft_enter_flow(near, arrow, 0xfedcba9876543210);
	weft_leave(near);
	weft_enter_flow(far, arrow, 1); /* two records: numbers of more bits */
	weft_leave(far);
	weft_enter_flow(near, late, 2);
	weft_leave(near);
	weft_enter_flow(near, no_arrow, 3); /* what is on of it */
	weft_leave(near);
	weft_enter_flow(silent, arrow, 4);
	weft_enter_flow(WEFT_OFF, WEFT_OFF, 5);
	return 0;
}

struct arrow_record {
	uint64_t ticks, key;
	unsigned kind, id;
};
struct arrows {
	struct arrow_record at[16];
	unsigned n;
};

static void collect_arrows(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct arrows *a = arg;
	(void)thread;
	if ((r->kind == WEFT_EV_ENTER || r->kind == WEFT_EV_LEAVE || r->kind == WEFT_EV_FLOW_IN) && a->n < 16)
		a->at[a->n++] = (struct arrow_record){r->ticks, r->n ? r->payload[0] : 0, r->kind, r->id};
}

TEST(a_region_that_an_arrow_ends_in_is_both_whatever_their_numbers)
{
	struct stream_file f;
	REQUIRE(child_run("arrows", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	unsigned near = stream_named(&f, WEFT_EV_DEF_REGION, 2, "near").id,
		 far = stream_named(&f, WEFT_EV_DEF_REGION, 2, "far 4199").id;
	unsigned arrow = stream_named(&f, WEFT_EV_DEF_FLOW, 1, "arrow").id,
		 late = stream_named(&f, WEFT_EV_DEF_FLOW, 1, "late 299").id;
	CHECK(near && near < 4096 && far >= 4096 && arrow && arrow < 256 && late >= 256);
	const struct arrow_record want[] = {
		{0, 0, WEFT_EV_ENTER, near},    {0, 0xfedcba9876543210, WEFT_EV_FLOW_IN, arrow},
		{0, 0, WEFT_EV_LEAVE, near},    {0, 0, WEFT_EV_ENTER, far},
		{0, 1, WEFT_EV_FLOW_IN, arrow}, {0, 0, WEFT_EV_LEAVE, far},
		{0, 0, WEFT_EV_ENTER, near},    {0, 2, WEFT_EV_FLOW_IN, late},
		{0, 0, WEFT_EV_LEAVE, near},    {0, 0, WEFT_EV_ENTER, near},
		{0, 0, WEFT_EV_LEAVE, near},    {0, 4, WEFT_EV_FLOW_IN, arrow},
	};
	struct arrows a = {.n = 0};
	stream_visit(&f, collect_arrows, &a);
	REQUIRE(a.n == sizeof want / sizeof *want);
	for (unsigned i = 0; i < a.n; i++) {
		CHECK_U64(a.at[i].kind, want[i].kind);
		CHECK_U64(a.at[i].id, want[i].id);
		CHECK_U64(a.at[i].key, want[i].key);
	}
	CHECK_U64(a.at[0].ticks, a.at[1].ticks); /* one record, one reading of the clock */
	stream_free(&f);
}

/* ---- Off, on, off ---- */

CHILD(start_and_stop)
{
	weft_region r = weft_define_region("portion", WEFT_STATE_RUNNING, 0);
	struct weft_status s;
	weft_get_status(&s);
	if (*r || s.recording)
		return 1;
	weft_enter(r); /* ignored */
	weft_stop();
	if (weft_start(NULL) != -ENOENT) /* nowhere to record to */
		return 2;
	for (int i = 0; i < 3; i++) {
		if (weft_start(getenv("TEST_DIR")) || weft_start(getenv("TEST_DIR")))
			return 3;
		weft_get_status(&s);
		if (!s.recording || s.reason || !s.bytes)
			return 4;
		weft_enter(r);
		weft_leave(r);
		weft_stop();
		weft_enter(r);
	}
	weft_get_status(&s);
	return *r || s.recording ? 5 : 0;
}

TEST(recording_starts_and_stops_with_marks)
{
	struct stream_file f;
	REQUIRE(child_run("start_and_stop", "TEST_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	struct stream_counts c = stream_count(&f);
	CHECK_U64(c.of[WEFT_EV_ON], 3);
	CHECK_U64(c.of[WEFT_EV_OFF], 3);
	CHECK_U64(c.of[WEFT_EV_ENTER], 3);
	CHECK_U64(c.of[WEFT_EV_LEAVE], 3);
	CHECK_U64(stream_find(&f, WEFT_EV_ON, 0).r.id, 0);
	uint64_t zero = 0;
	CHECK(memcmp(f.head.run_id, &zero, 8) != 0); /* made up, when nobody gave one */
	stream_free(&f);
}

CHILD(categories)
{
	weft_category on = weft_define_category("on", 1), off = weft_define_category("off", 0);
	weft_category env_off = weft_define_category("noise.inner", 1), env_on = weft_define_category("quiet", 0);
	weft_region a = weft_define_region("a", WEFT_STATE_IO, on), b = weft_define_region("b", WEFT_STATE_IO, off);
	weft_region c = weft_define_region("c", WEFT_STATE_IO, env_off), d = weft_define_region("d", WEFT_STATE_IO, env_on);
	if (!*a || *b || *c || !*d || !*on || *off)
		return 1;
	weft_switch(off, 1);
	weft_switch(off, 1);
	weft_enter(b);
	weft_switch(on, 0);
	weft_enter(a);
	weft_switch(off, 0);
	weft_enter(b);
	weft_enter(c);
	weft_enter(d);
	weft_switch(WEFT_OFF, 1);
	weft_switch(a, 0); /* no category */
	return *a || *b ? 2 : 0;
}

TEST(categories_switch_what_is_in_them)
{
	struct stream_file f;
	REQUIRE(child_run("categories", "WEFT_DIR=%s/t.weft WEFT_OFF=noise.*,x WEFT_ON=quiet", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	struct stream_counts c = stream_count(&f);
	CHECK_U64(c.of[WEFT_EV_ENTER], 2);
	CHECK_U64(stream_find(&f, WEFT_EV_ENTER, 0).r.id, stream_named(&f, WEFT_EV_DEF_REGION, 2, "b").id);
	CHECK_U64(stream_find(&f, WEFT_EV_ENTER, 1).r.id, stream_named(&f, WEFT_EV_DEF_REGION, 2, "d").id);
	CHECK_U64(c.of[WEFT_EV_ON], 1);
	CHECK_U64(c.of[WEFT_EV_OFF], 2);
	CHECK_U64(stream_find(&f, WEFT_EV_ON, 0).r.id, stream_named(&f, WEFT_EV_DEF_CATEGORY, 0, "off").id);
	CHECK_U64(stream_find(&f, WEFT_EV_OFF, 0).r.id, stream_named(&f, WEFT_EV_DEF_CATEGORY, 0, "on").id);
	stream_free(&f);
}

/* ---- Modes ---- */

/* Points with the values 0, 1, 2…: what is missing shows. */
static weft_type count_type(void)
{
	return weft_define_type("count", "", 0);
}

static int count_to(uint64_t n)
{
	weft_type t = count_type();
	for (uint64_t i = 0; i < n; i++)
		weft_point(t, (int64_t)i);
	return 0;
}

CHILD(count_10000)
{
	return count_to(10000);
}

CHILD(count_million)
{
	return count_to(1000000);
}

struct run_of_counts {
	uint64_t first, n, wrong;
};
static void follow_counts(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct run_of_counts *c = arg;
	(void)thread;
	if (r->kind != WEFT_EV_POINT)
		return;
	if (!c->n)
		c->first = r->payload[0];
	c->wrong += r->payload[0] != c->first + c->n;
	c->n++;
}

static struct run_of_counts counts_in(struct stream_file *f)
{
	struct run_of_counts c = {0, 0, 0};
	stream_visit(f, follow_counts, &c);
	return c;
}

TEST(all_is_kept_in_mode_keep)
{
	struct stream_file f;
	REQUIRE(child_run("count_million", "WEFT_DIR=%s/t.weft WEFT_MODE=keep WEFT_SIZE=1M", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	struct run_of_counts c = counts_in(&f);
	CHECK_U64(c.first, 0);
	CHECK_U64(c.n, 1000000);
	CHECK_U64(c.wrong, 0);
	CHECK_U64(f.n_open, 0);
	/* On the disk: 16 bytes an event, a header in each page, and what a process costs. */
	CHECK(f.disk_bytes < 16000000 * 4096ull / 4064 + 64 * 4096);
	stream_free(&f);
}

TEST(a_ring_keeps_the_last)
{
	struct stream_file f;
	REQUIRE(child_run("count_million", "WEFT_DIR=%s/t.weft WEFT_MODE=ring WEFT_SIZE=2M", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK(f.head.flags & WEFT_STREAM_RING);
	CHECK_U64(f.head.state, WEFT_STREAM_CLOSED);
	struct run_of_counts c = counts_in(&f);
	CHECK_U64(c.first + c.n, 1000000);
	CHECK_U64(c.wrong, 0);
	CHECK(f.bytes <= (2 << 20) + 32 * 4096);
	CHECK(c.n * 16 > (2 << 20) * 7 / 8);
	CHECK(stream_named(&f, WEFT_EV_DEF_TYPE, 2, "count").id > 0);
	CHECK(stream_find(&f, WEFT_EV_THREAD, 0).found);
	CHECK_U64(f.head.dropped, 0);
	stream_free(&f);
}

TEST(recording_stops_when_full)
{
	struct stream_file f;
	REQUIRE(child_run("count_million", "WEFT_DIR=%s/t.weft WEFT_MODE=full WEFT_SIZE=8M", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.head.state, WEFT_STREAM_FULL);
	CHECK_U64(f.head.reason, 0); /* by its limit, and not the disk's */
	struct run_of_counts c = counts_in(&f);
	CHECK_U64(c.first, 0);
	CHECK_U64(c.wrong, 0);
	CHECK(f.bytes <= (8 << 20) + 32 * 4096);
	CHECK(c.n * 16 > (8 << 20) * 3 / 4);
	/* What was dropped: all others, and the thread's end. */
	CHECK_U64(f.head.dropped, 1000000 - c.n + 1);
	stream_free(&f);
}

/* ---- Where nothing can be recorded ---- */

TEST(a_directory_that_cannot_be_written_harms_nobody)
{
	int status;
	REQUIRE(child_run("count_10000", "WEFT_DIR=/proc/nowhere/t.weft") == 0);
	char *text = test_shell(&status, "TEST_CHILD=count_10000 WEFT_VERBOSE=1 WEFT_DIR=/proc/nowhere/t.weft /proc/%d/exe 2>&1",
	                        getpid());
	CHECK_STR(text, "weft: nothing recorded into '/proc/nowhere/t.weft': no such file or directory\n");
	CHECK_I64(status, 0);
	free(text);
}

CHILD(status_without_directory)
{
	struct weft_status s;
	weft_region r = weft_define_region("r", WEFT_STATE_IO, 0);
	weft_enter(r);
	weft_get_status(&s);
	return s.recording || s.reason != ENOENT || *r || weft_start(NULL) != -ENOENT ? 1 : 0;
}

TEST(status_says_why_nothing_is_recorded)
{
	CHECK_I64(child_run("status_without_directory", "WEFT_DIR=/proc/nowhere/t.weft"), 0);
}

CHILD(limited_files)
{
	/* Beyond this limit a write would raise SIGXFSZ. */
	struct rlimit r = {1 << 20, 1 << 20};
	struct weft_status s;
	if (setrlimit(RLIMIT_FSIZE, &r))
		return 1;
	count_to(1000000);
	weft_get_status(&s);
	return s.reason == EFBIG && s.dropped > 900000 ? 0 : 2;
}

TEST(a_limit_of_file_sizes_is_obeyed)
{
	struct stream_file f;
	REQUIRE(child_run("limited_files", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(f.head.state, WEFT_STREAM_FULL);
	CHECK_U64(f.head.reason, EFBIG);
	struct run_of_counts c = counts_in(&f);
	CHECK_U64(c.first, 0);
	CHECK_U64(c.wrong, 0);
	CHECK(c.n > 30000);
	CHECK(f.bytes <= 1 << 20);
	stream_free(&f);
}

CHILD(closes_all_files)
{
	count_to(20000);
	closefrom(3);
	int mine = open("/dev/null", O_RDWR);
	if (mine < 0)
		return 1;
	/* The number that the recorder's descriptor had, too. */
	for (int fd = mine + 1; fd < 1100; fd++)
		(void)!dup2(mine, fd);
	weft_type t = count_type();
	for (int i = 20000; i < 1000000; i++)
		weft_point(t, i);
	struct stat st;
	return fstat(mine, &st) == 0 && S_ISCHR(st.st_mode) ? 0 : 2;
}

TEST(a_program_may_close_all_descriptors)
{
	struct stream_file f;
	REQUIRE(child_run("closes_all_files", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	struct run_of_counts c = counts_in(&f);
	CHECK(c.first == 0 && c.wrong == 0);
	CHECK_U64(c.n, 1000000);
	stream_free(&f);
}

CHILD(errno_stays)
{
	weft_type t = count_type();
	for (int i = 0; i < 100000; i++) {
		errno = 4242;
		weft_point(t, i);
		if (errno != 4242)
			return 1;
	}
	errno = 17;
	weft_start(NULL);
	weft_stop();
	weft_enter(weft_define_region("e", WEFT_STATE_IO, 0));
	return 0;
}

TEST(events_never_change_errno)
{
	CHECK_I64(child_run("errno_stays", "WEFT_DIR=%s/t.weft", test_dir()), 0);
	/* Nor where there is no space, and each event says so. */
	CHECK_I64(child_run("errno_stays", "WEFT_DIR=%s/u.weft WEFT_MODE=full WEFT_SIZE=64K", test_dir()), 0);
}

CHILD(relative_directory)
{
	if (chdir("/"))
		return 1;
	return count_to(100000);
}

TEST(a_program_may_change_its_directory)
{
	struct stream_file f;
	int status;
	free(test_shell(&status, "cd %s && TEST_CHILD=relative_directory WEFT_DIR=t.weft /proc/%d/exe", test_dir(), getpid()));
	CHECK_I64(status, 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK_U64(counts_in(&f).n, 100000);
	stream_free(&f);
}

TEST(verbose_says_one_line_at_the_end)
{
	int status;
	char *text = test_shell(&status, "TEST_CHILD=count_10000 WEFT_VERBOSE=1 WEFT_DIR=%s/t.weft /proc/%d/exe 2>&1", test_dir(),
	                        getpid());
	CHECK(strncmp(text, "weft: recorded ", 15) == 0);
	CHECK(strstr(text, "0 events dropped\n") != NULL && strchr(text, '\n') == text + strlen(text) - 1);
	free(text);
	text = test_shell(&status, "TEST_CHILD=count_10000 WEFT_DIR=%s/t.weft /proc/%d/exe 2>&1", test_dir(), getpid());
	CHECK_STR(text, "");
	free(text);
}

TEST(settings_without_sense_are_said_in_a_line_and_change_nothing)
{
	static const struct {
		const char *setting, *says;
	} cases[] = {
		{"WEFT_SIZE=abc", "weft: WEFT_SIZE is ignored: expected a size like 64M\n"},
		{"WEFT_MODE=ring WEFT_SIZE=0", "weft: WEFT_SIZE is ignored: expected a size like 64M\n"},
		{"WEFT_MODE=rings", "weft: WEFT_MODE is ignored: expected keep, ring or stop\n"},
		{"WEFT_SAVE_SIGNAL=USR1", "weft: WEFT_SAVE_SIGNAL is ignored: expected the number of a signal\n"},
		{"WEFT_SAVE_SIGNAL=0", "weft: WEFT_SAVE_SIGNAL is ignored: expected the number of a signal\n"},
		{"WEFT_OFF=$(printf %5000s)", "weft: WEFT_OFF is ignored: expected a shorter list of categories\n"},
		{"WEFT_RUN_ID=12ab", "weft: WEFT_RUN_ID is ignored: expected 32 hexadecimal digits\n"},
		{"WEFT_RUN_ID=0123456789abcdef0123456789abcdeg",
	         "weft: WEFT_RUN_ID is ignored: expected 32 hexadecimal digits\n"},
		{"WEFT_RUN_ID=0123456789abcdef0123456789ABCDEF", ""},
		{"WEFT_SIZE= WEFT_MODE= WEFT_SAVE_SIGNAL= WEFT_OFF= WEFT_RUN_ID=", ""},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stream_file f;
		int status;
		char *text = test_shell(&status, "%s TEST_CHILD=count_10000 WEFT_DIR=%s/%u.weft /proc/%d/exe 2>&1",
		                        cases[i].setting, test_dir(), i, getpid());
		CHECK_I64(status, 0);
		CHECK_STR(text, cases[i].says);
		free(text);
		REQUIRE(stream_load_in(&f, 0, "%s/%u.weft", test_dir(), i));
		CHECK_U64(counts_in(&f).n, 10000);
		stream_free(&f);
	}
	int status;
	char *text = test_shell(&status, "WEFT_SIZE=abc TEST_CHILD=count_10000 /proc/%d/exe 2>&1", getpid());
	CHECK_STR(text, ""); /* it does not record */
	free(text);
}

/* ---- Strings, by several threads ---- */

enum { N_STRINGS = 3000 };

static uint32_t string_of(unsigned k)
{
	char text[32];
	snprintf(text, sizeof text, "string %u", k);
	return weft_define_string(text);
}

static void *define_strings(void *id)
{
	uint32_t *mine = id;
	for (unsigned round = 0; round < 3; round++)
		for (unsigned k = 0; k < N_STRINGS; k++) {
			uint32_t now = string_of(k);
			if (!now || (round && now != mine[k]))
				return NULL;
			mine[k] = now;
		}
	return id;
}

CHILD(strings)
{
	static uint32_t id[4][N_STRINGS];
	pthread_t thread[4];
	void *done;
	for (unsigned t = 0; t < 4; t++)
		if (pthread_create(&thread[t], NULL, define_strings, id[t]))
			return 1;
	for (unsigned t = 0; t < 4; t++)
		if (pthread_join(thread[t], &done) || !done || memcmp(id[t], id[0], sizeof *id))
			return 2;
	weft_type said = weft_define_type("said", "", 0);
	for (unsigned k = 0; k < N_STRINGS; k += 100)
		weft_point_string(said, string_of(k));
	return weft_define_string("") || weft_define_string(NULL);
}

TEST(a_string_has_one_number_whoever_asks)
{
	struct stream_file f;
	REQUIRE(child_run("strings", "WEFT_DIR=%s/t.weft", test_dir()) == 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	for (unsigned k = 0; k < N_STRINGS; k += 100) {
		char text[32];
		snprintf(text, sizeof text, "string %u", k);
		struct stream_find e = stream_find(&f, WEFT_EV_POINT_S, k / 100);
		REQUIRE(e.found);
		CHECK_U64(e.r.payload[0], stream_named(&f, WEFT_EV_DEF_STRING, 0, text).id);
	}
	stream_free(&f);
}

/* ---- Small address spaces ---- */

CHILD(small_address_space)
{
	return count_to(1000000);
}

TEST(a_limit_of_the_address_space_is_obeyed)
{
	struct stream_file f;
	int status;
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("sanitizers need more address space than this test leaves");
	free(test_shell(&status, "ulimit -v 400000; TEST_CHILD=small_address_space WEFT_DIR=%s/t.weft /proc/%d/exe", test_dir(),
	                getpid()));
	CHECK_I64(status, 0);
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(counts_in(&f).n, 1000000);
	stream_free(&f);
}

CHILD(large_in_a_small_address_space)
{
	size_t bytes = (size_t)340 << 20; /* of 400 */
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? 3 : count_to(100000);
}

TEST(a_small_address_space_is_left_to_the_program)
{
	struct stream_file f;
	int status;
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("sanitizers need more address space than this test leaves");
	for (unsigned recorded = 0; recorded < 2; recorded++) {
		free(test_shell(&status, "ulimit -v 409600; TEST_CHILD=large_in_a_small_address_space %s%s/t.weft /proc/%d/exe",
		                recorded ? "WEFT_DIR=" : "UNRECORDED=", test_dir(), getpid()));
		CHECK_I64(status, 0);
	}
	REQUIRE(stream_load_in(&f, 0, "%s/t.weft", test_dir()));
	CHECK(stream_is_good(&f));
	CHECK_U64(counts_in(&f).n, 100000);
	stream_free(&f);
}
