/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of metrics over small traces: each function at its edges. A row is compared as text: "begin| value until | ...", as
 * "0| 0 100| 1 300| 0 1000|".
 */
#include "metric_maker.h"

/* Thread 1.1.1 on cpu 1, 1.2.1 on cpu 2. States touch, leave a gap, have no length; events share an instant. */
static const char prv[] =
	"#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)\n"
	"1:1:1:1:1:0:100:1\n1:1:1:1:1:150:300:3\n1:1:1:1:1:300:700:1\n1:1:1:1:1:700:700:7\n"
	"1:2:1:2:1:0:500:1\n1:2:1:2:1:500:900:2\n"
	"2:1:1:1:1:100:50:1:60:500\n2:1:1:1:1:200:50:3\n2:1:1:1:1:200:50:-2\n2:1:1:1:1:300:50:0\n2:1:1:1:1:400:50:0\n"
	"2:2:1:2:1:250:50:5\n2:2:1:2:1:800:50:0\n"
	"3:1:1:1:1:100:110:2:1:2:1:500:600:64:7\n3:2:1:2:1:650:660:1:1:1:1:640:645:10:8\n";
static const char pcf[] = "EVENT_TYPE\n0 50 Call\nVALUES\n1 one\n\nEVENT_TYPE\n0 60 Scaled\nPRECISION 2\n";

static void set_up(struct made *f)
{
	make_trace(f, prv, pcf, NULL);
}

/* A metric of a thread function in ns, that sees events of type 50 (or of all). */
static const double fifty = 50;
static void make_metric(struct weft_metric *m, const char *function)
{
	weft_metric_init(m);
	m->unit = WEFT_NS;
	m->of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, function);
	REQUIRE(m->of_level[WEFT_THREAD].func);
	m->filter.test[WEFT_OF_TYPE] = (struct weft_test){WEFT_TEST_EQ, {&fifty, 1}};
}

struct thread_case {
	const char *function;
	double a[3];
	uint32_t n_a;
	double b;
	uint32_t n_b;
	uint32_t thread;
	const char *row;
};

static const struct thread_case thread_cases[] = {
	{"State As Is", {0}, 0, 0, 0, 0, "0| 1 100| 0 150| 3 300| 1 700| 7 1000|"},
	{"Useful", {0}, 0, 0, 0, 0, "0| 1 100| 0 150| 0 300| 1 700| 0 1000|"},
	{"State Sign", {0}, 0, 0, 0, 1, "0| 1 500| 1 900| 0 1000|"},
	{"Given State", {3, 7}, 2, 0, 0, 0, "0| 0 100| 0 150| 3 300| 0 700| 7 1000|"},
	{"In State", {0}, 1, 0, 0, 0, "0| 0 100| 1 150| 0 300| 0 700| 0 1000|"},
	{"Not In State", {1}, 1, 0, 0, 0, "0| 0 100| 1 150| 1 300| 0 700| 1 1000|"},
	{"State Record Dur.", {0, 1, 7}, 3, 0, 0, 0, "0| 100 100| 50 150| 0 300| 400 700| 0 1000|"},
	{"Last Evt Type", {0}, 0, 0, 0, 0, "0| 0 100| 50 200| 50 200| 50 300| 50 400| 50 1000|"},
	{"Last Evt Val", {0}, 0, 0, 0, 0, "0| 0 100| 1 200| 3 200| -2 300| 0 400| 0 1000|"},
	{"Last Evt Val w/o Bursts", {0}, 0, 0, 0, 0, "0| 0 100| 1 200| 3 200| -2 300| -2 400| -2 1000|"},
	{"Next Evt Type", {0}, 0, 0, 0, 1, "0| 50 250| 50 800| 0 1000|"},
	{"Next Evt Val", {0}, 0, 0, 0, 0, "0| 1 100| 3 200| -2 200| 0 300| 0 400| 0 1000|"},
	{"Avg Next Evt Val", {100}, 1, 0, 0, 0, "0| 1 100| 3 200| 0 200| 0 300| 0 400| 0 1000|"},
	{"Avg Last Evt Val", {100}, 1, 0, 0, 0, "0| 0 100| 1 200| 0 200| -2 300| 0 400| 0 1000|"},
	{"Given Evt Val", {3, -2}, 2, 0, 0, 0, "0| 0 100| 0 200| 3 200| -2 300| 0 400| 0 1000|"},
	{"In Evt Val", {0}, 1, 0, 0, 0, "0| 0 100| 0 200| 0 200| 0 300| 1 400| 1 1000|"},
	{"Not In Evt Val", {0}, 1, 0, 0, 0, "0| 0 100| 1 200| 1 200| 1 300| 0 400| 0 1000|"},
	{"In Evt Range", {0}, 1, 2, 1, 0, "0| 0 100| 1 200| 0 200| 0 300| 1 400| 1 1000|"},
	{"Int. Between Evt", {0}, 0, 0, 0, 0, "0| 0 100| 100 200| 0 200| 100 300| 100 400| 0 1000|"},
	{"Event Bytes", {0}, 0, 0, 0, 1, "0| 0 250| 138 800| 0 1000|"},
	{"Event Sent Bytes", {0}, 0, 0, 0, 1, "0| 0 250| 10 800| 0 1000|"},
	{"Last Tag", {0}, 0, 0, 0, 1, "0| 0 600| 7 1000|"},
	{"Comm Size", {0}, 0, 0, 0, 0, "0| 0 100| 64 640| 10 645| 10 1000|"},
	{"Comm Partner", {0}, 0, 0, 0, 0, "0| 0 100| 2 1000|"},
	{"Comm Recv. Partner", {0}, 0, 0, 0, 1, "0| 0 500| 1 600| 0 1000|"},
	{"Last Send Dur.", {0}, 0, 0, 0, 1, "0| 0 650| -5 1000|"},
	{"Last Send Size", {0}, 0, 0, 0, 0, "0| 0 100| 64 1000|"},
	{"Send Bytes in Transit", {0}, 0, 0, 0, 0, "0| 0 100| 64 500| 64 600| 0 1000|"},
	{"Recv Messages in Transit", {0}, 0, 0, 0, 1, "0| 0 100| 1 500| 1 600| 0 1000|"},
	{"Send BandWidth", {1}, 1, 0, 0, 0, "0| 0 100| 0.128 500| 0.128 600| 0 1000|"},
	{"Recv Negative Messages", {0}, 0, 0, 0, 0, "0| 0 640| 0 645| 1 650| 0 1000|"},
	{"Recv Negative Bytes", {0}, 0, 0, 0, 0, "0| 0 640| 0 645| 10 650| 0 1000|"},
	{"Number Of Sends", {0}, 0, 0, 0, 0, "0| 0 100| 1 1000|"},
	{"Number Of Send Bytes", {0}, 0, 0, 0, 1, "0| 0 650| 10 1000|"},
	{"Number Of Receives", {0}, 0, 0, 0, 1, "0| 0 500| 0 600| 1 1000|"},
	{"Number Of Receive Bytes", {0}, 0, 0, 0, 0, "0| 0 640| 0 645| 10 1000|"},
	{"Application ID", {0}, 0, 0, 0, 1, "0| 1 250| 1 500| 1 500| 1 800| 1 900| 1 1000|"},
	{"TaskID", {0}, 0, 0, 0, 1, "0| 2 250| 2 500| 2 500| 2 800| 2 900| 2 1000|"},
	{"Cpu ID", {0}, 0, 0, 0, 1, "0| 2 250| 2 500| 2 500| 2 800| 2 900| 2 1000|"},
	{"In Thread ID", {1}, 1, 0, 0, 1, "0| 0 250| 0 500| 0 500| 0 800| 0 900| 0 1000|"},
	{"Thread ID", {0}, 0, 0, 0, 1, "0| 2 250| 2 500| 2 500| 2 800| 2 900| 2 1000|"},
	{"In Appl ID", {2, 1}, 2, 0, 0, 1, "0| 1 250| 1 500| 1 500| 1 800| 1 900| 1 1000|"},
	{"In Appl ID", {2}, 1, 0, 0, 1, "0| 0 250| 0 500| 0 500| 0 800| 0 900| 0 1000|"},
	{"In Task ID", {2}, 1, 0, 0, 1, "0| 2 250| 2 500| 2 500| 2 800| 2 900| 2 1000|"},
	{"Node ID", {0}, 0, 0, 0, 1, "0| 1 250| 1 500| 1 500| 1 800| 1 900| 1 1000|"},
	{"Next Recv Dur.", {0}, 0, 0, 0, 1, "0| 0 500| -400 1000|"},
	{"Next Recv Dur.", {0}, 0, 0, 0, 0, "0| 0 640| 10 1000|"},
	{"Send Messages in Transit", {0}, 0, 0, 0, 0, "0| 0 100| 1 500| 1 600| 0 1000|"},
	{"Send Messages in Transit", {0}, 0, 0, 0, 1, "0| 0 640| 0 645| 0 650| 0 1000|"}, /* what comes before it goes is not */
	{"Recv Bytes in Transit", {0}, 0, 0, 0, 1, "0| 0 100| 64 500| 64 600| 0 1000|"},
	{"Recv BandWidth", {2}, 1, 0, 0, 1, "0| 0 100| 0.064 500| 0.064 600| 0 1000|"},
};

TEST(thread_functions_at_their_edges)
{
	struct made f;
	set_up(&f);
	for (size_t i = 0; i < sizeof thread_cases / sizeof *thread_cases; i++) {
		const struct thread_case *c = &thread_cases[i];
		struct weft_metric m;
		make_metric(&m, c->function);
		m.of_level[WEFT_THREAD].param[0] = (struct weft_list){c->a, c->n_a};
		m.of_level[WEFT_THREAD].param[1] = (struct weft_list){&c->b, c->n_b};
		check_row(&f, &m, c->thread, c->row);
	}
	unmake_trace(&f);
}

struct compose_case {
	const char *function, *of; /* the thread function below */
	double a, b;
	unsigned n;
	const char *row; /* of thread 1.1.1 */
};

static const struct compose_case compose_cases[] = {
	{"Sign", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 1 200| 1 300| 0 400| 0 1000|"},
	{"1-Sign", "Last Evt Val", 0, 0, 0, "0| 1 100| 0 200| 0 200| 0 300| 1 400| 1 1000|"},
	{"Mod", "State As Is", 2, 0, 1, "0| 1 100| 0 150| 1 300| 1 700| 1 1000|"},
	{"Mod", "State As Is", 0, 0, 1, "0| 0 100| 0 150| 0 300| 0 700| 0 1000|"},
	{"Mod+1", "State As Is", 2, 0, 1, "0| 2 100| 1 150| 2 300| 2 700| 2 1000|"},
	{"Div", "State As Is", 2, 0, 1, "0| 0.5 100| 0 150| 1.5 300| 0.5 700| 3.5 1000|"},
	{"Prod", "State As Is", 0, 0, 0, "0| 0 100| 0 150| 0 300| 0 700| 0 1000|"},
	{"Add", "State As Is", 2, 0, 1, "0| 3 100| 2 150| 5 300| 3 700| 9 1000|"},
	{"Subs", "State As Is", 2, 0, 1, "0| -1 100| -2 150| 1 300| -1 700| 5 1000|"},
	{"Complement", "State As Is", 2, 0, 1, "0| 1 100| 2 150| -1 300| 1 700| -5 1000|"},
	{"Inverse Div", "State As Is", 6, 0, 1, "0| 6 100| 0 150| 2 300| 6 700| 0.857143 1000|"},
	{"Select Range", "State As Is", 3, 1, 2, "0| 1 100| 0 150| 3 300| 1 700| 0 1000|"},
	{"Select Range [)", "State As Is", 3, 1, 2, "0| 1 100| 0 150| 0 300| 1 700| 0 1000|"},
	{"Is In Range", "State As Is", 3, 1, 2, "0| 1 100| 0 150| 1 300| 1 700| 0 1000|"},
	{"Is In Range [)", "State As Is", 3, 1, 2, "0| 1 100| 0 150| 0 300| 1 700| 0 1000|"},
	{"Is Equal", "State As Is", 3, 0, 1, "0| 0 100| 0 150| 3 300| 0 700| 0 1000|"},
	{"Is Equal (Sign)", "State As Is", 3, 0, 1, "0| 0 100| 0 150| 1 300| 0 700| 0 1000|"},
	{"Abs", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 3 200| 2 300| 0 400| 0 1000|"},
	{"sqrt (abs)", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 1.73205 200| 1.41421 300| 0 400| 0 1000|"},
	{"sqrt", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 1.73205 200| 1.41421 300| 0 400| 0 1000|"},
	{"log N", "State As Is", 3, 0, 1, "0| 0 100| 0 150| 1 300| 0 700| 1.77124 1000|"},
	{"exp", "State As Is", 2, 0, 1, "0| 2 100| 1 150| 8 300| 2 700| 128 1000|"},
	{"Stacked Val", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 3 200| -2 300| 3 400| 1 1000|"},
	{"In Stacked Val", "Last Evt Val", 3, 0, 1, "0| 0 100| 0 200| 3 200| 0 300| 3 400| 0 1000|"},
	{"Nesting level", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 2 200| 3 300| 2 400| 1 1000|"},
	{"LRU Depth", "State As Is", 2, 0, 1, "0| 3 100| 0 150| 3 300| 2 700| 3 1000|"},
	{"Enumerate", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 2 200| 3 300| 3 400| 3 1000|"},
	{"Accumulate", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 4 200| 2 300| 2 400| 2 1000|"},
	{"Delta", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 2 200| -5 300| 2 400| 0 1000|"},
	{"Burst Time", "Last Evt Val", 0, 0, 0, "0| 100 100| 100 200| 0 200| 100 300| 100 400| 600 1000|"},
	{"Divide by Burst Time", "Last Evt Val", 0, 0, 0, "0| 0 100| 0.01 200| 0 200| -0.02 300| 0 400| 0 1000|"},
	{"Begin Time", "State As Is", 0, 0, 0, "0| 0 100| 100 150| 150 300| 300 700| 700 1000|"},
	{"End Time", "State As Is", 0, 0, 0, "0| 100 100| 150 150| 300 300| 700 700| 1000 1000|"},
	{"Join Bursts", "Last Evt Val", 0, 0, 0, "0| 0 100| 1 200| 3 200| -2 300| 0 1000|"},
	{"Timer", "State As Is", 60, 0, 1, "0| 1 60| 0 100| 0 150| 3 210| 0 300| 0 700| 0 1000|"},
};

TEST(compose_functions_at_their_edges)
{
	struct made f;
	set_up(&f);
	for (size_t i = 0; i < sizeof compose_cases / sizeof *compose_cases; i++) {
		const struct compose_case *c = &compose_cases[i];
		struct weft_metric m;
		make_metric(&m, c->of);
		struct weft_call *top = &m.top[i & 1]; /* both places */
		top->func = weft_func_find(WEFT_FUNC_COMPOSE, c->function);
		REQUIRE(top->func);
		top->param[0] = (struct weft_list){&c->a, c->n > 0};
		top->param[1] = (struct weft_list){&c->b, c->n > 1};
		check_row(&f, &m, 0, c->row);
	}
	unmake_trace(&f);
}

/* Halves and quarters: of the values of events and states, divided by `by` first. */
static const struct {
	const char *function, *of;
	double by, list[4];
	uint32_t n;
	const char *row;
} fraction_cases[] = {
	{"Floor", "State As Is", 2, {0}, 0, "0| 0 100| 0 150| 1 300| 0 700| 3 1000|"},
	{"Floor", "Last Evt Val", 4, {0}, 0, "0| 0 100| 0 200| 0 200| -1 300| 0 400| 0 1000|"},
	{"Ceil", "State As Is", 2, {0}, 0, "0| 1 100| 0 150| 2 300| 1 700| 4 1000|"},
	{"Ceil", "Last Evt Val", 4, {0}, 0, "0| 0 100| 1 200| 1 200| -0 300| 0 400| 0 1000|"},
	{"Round", "State As Is", 2, {0}, 0, "0| 0 100| 0 150| 2 300| 0 700| 4 1000|"}, /* halves go to the even one */
	{"Round", "Last Evt Val", 4, {0}, 0, "0| 0 100| 0 200| 1 200| -0 300| 0 400| 0 1000|"},
	{"sin", "Last Evt Val", 1, {0}, 0, "0| 0 100| 0.841471 200| 0.14112 200| -0.909297 300| 0 400| 0 1000|"},
	{"cos", "Last Evt Val", 1, {0}, 0, "0| 1 100| 0.540302 200| -0.989992 200| -0.416147 300| 1 400| 1 1000|"},
	{"arc tan", "Last Evt Val", 1, {0}, 0, "0| 0 100| 0.785398 200| 1.24905 200| -1.10715 300| 0 400| 0 1000|"},
	{"Translate", "State As Is", 1, {1, 10, 3, 30}, 4, "0| 10 100| 0 150| 30 300| 10 700| 7 1000|"},
	{"Translate", "State As Is", 1, {1, 10, 3}, 3, "0| 10 100| 0 150| 3 300| 10 700| 7 1000|"}, /* one without the other */
	{"Select Range", "State As Is", 1, {0}, 0, "0| 1 100| 0 150| 0 300| 1 700| 0 1000|"},       /* 0 to 1 */
};

TEST(compose_functions_stand_on_each_other)
{
	struct made f;
	set_up(&f);
	for (size_t i = 0; i < sizeof fraction_cases / sizeof *fraction_cases; i++) {
		struct weft_metric m;
		make_metric(&m, fraction_cases[i].of);
		m.top[1].func = weft_func_find(WEFT_FUNC_COMPOSE, "Div");
		m.top[1].param[0] = (struct weft_list){&fraction_cases[i].by, 1};
		m.top[0].func = weft_func_find(WEFT_FUNC_COMPOSE, fraction_cases[i].function);
		REQUIRE(m.top[0].func);
		m.top[0].param[0] = (struct weft_list){fraction_cases[i].list, fraction_cases[i].n};
		check_row(&f, &m, 0, fraction_cases[i].row);
	}
	unmake_trace(&f);
}

static const struct {
	const char *function;
	double param;
	const char *row;
} level_cases[] = {
	{"Adding", -1, "0| 2 100| 1 150| 4 300| 2 500| 3 700| 9 900| 7 1000|"},
	{"AddingSign", -1, "0| 1 100| 1 150| 1 300| 1 500| 1 700| 1 900| 1 1000|"},
	{"Average", -1, "0| 1 100| 0.5 150| 2 300| 1 500| 1.5 700| 4.5 900| 3.5 1000|"},
	{"Maximum", -1, "0| 1 100| 1 150| 3 300| 1 500| 2 700| 7 900| 7 1000|"},
	{"Minimum", -1, "0| 1 100| 1 150| 1 300| 1 500| 1 700| 2 900| 0 1000|"},
	{"Activity", 1, "0| 1 100| 0 150| 0 300| 1 500| 0 700| 0 900| 0 1000|"},
	{"In Activity", 1, "0| 1 100| 0 150| 0 300| 1 500| 0 700| 0 900| 0 1000|"},
	{"Mode", -1, "0| 1 100| 1 150| 3 300| 1 500| 2 700| 7 900| 7 1000|"},
	{"Thread i", 2, "0| 1 100| 1 150| 1 300| 1 500| 2 700| 2 900| 0 1000|"},
	{"Thread i", 3, "0| 0 100| 0 150| 0 300| 0 500| 0 700| 0 900| 0 1000|"},
	{"Add Tasks", 1, "0| 1 100| 1 150| 1 300| 1 500| 2 700| 2 900| 0 1000|"},
	{"Changed value", -1, "0| 1 100| 0 150| 3 300| 1 500| 2 700| 7 900| 0 1000|"},
};

TEST(levels_put_their_children_together)
{
	struct made f;
	set_up(&f);
	for (size_t i = 0; i < sizeof level_cases / sizeof *level_cases; i++) {
		struct weft_metric m;
		make_metric(&m, "State As Is");
		m.level = WEFT_APPL;
		m.of_level[WEFT_APPL].func = weft_func_find(WEFT_FUNC_LEVEL, level_cases[i].function);
		REQUIRE(m.of_level[WEFT_APPL].func);
		m.of_level[WEFT_APPL].param[0] = (struct weft_list){&level_cases[i].param, level_cases[i].param >= 0};
		check_row(&f, &m, 0, level_cases[i].row);
	}
	unmake_trace(&f);
}

static const struct {
	const char *operation;
	double a, b;
	int32_t shift;
	const char *row;
} derived_cases[] = {
	/* of Last Evt Val and Useful, in thread 1.2.1: 0 250 5 800 0; 1 500 0 900 0 */
	{"add", 1, 1, 0, "0| 1 250| 6 500| 5 800| 0 900| 0 1000|"},
	{"substract", 2, 0.5, 0, "0| -0.5 250| 9.5 500| 10 800| 0 900| 0 1000|"},
	{"product", 1, 1, 0, "0| 0 250| 5 500| 0 800| 0 900| 0 1000|"},
	{"divide", 1, 2, 0, "0| 0 250| 2.5 500| 0 800| 0 900| 0 1000|"},
	{"maximum", 1, 1, 0, "0| 1 250| 5 500| 5 800| 0 900| 0 1000|"},
	{"minimum", 1, 1, 0, "0| 0 250| 1 500| 0 800| 0 900| 0 1000|"},
	{"different", 1, 1, 0, "0| 1 250| 1 500| 1 800| 0 900| 0 1000|"},
	{"add", 1, 1, 1, "0| 6 250| 1 500| 0 800| 0 900| 0 1000|"},
	{"add", 1, 1, -1, "0| 1 250| 1 500| 0 800| 5 900| 5 1000|"},
	{"controlled: add", 1, 1, 0, "0| 5 500| 5 900| 0 1000|"},
	{"controlled: maximum", 2, 1, 0, "0| 10 500| 10 900| 0 1000|"},
	{"controlled: average", 1, 1, 0, "0| 3.4375 500| 3.66667 900| 0 1000|"},
	{"controlled: enumerate", 1, 1, 0, "0| 1 500| 0 900| 0 1000|"},
	{"controlled: clear by", 1, 1, 0, "0| 0 250| 5 500| 0 800| 0 900| 0 1000|"},
};

TEST(derived_metrics_combine_two_rows)
{
	struct made f;
	set_up(&f);
	for (size_t i = 0; i < sizeof derived_cases / sizeof *derived_cases; i++) {
		struct weft_metric a, b, m;
		make_metric(&a, "Last Evt Val");
		make_metric(&b, "Useful");
		weft_metric_init(&m);
		m.parent[0] = &a;
		m.parent[1] = &b;
		m.factor[0] = derived_cases[i].a;
		m.factor[1] = derived_cases[i].b;
		m.shift[0] = derived_cases[i].shift;
		m.operation.func = weft_func_find(WEFT_FUNC_DERIVED, derived_cases[i].operation);
		REQUIRE(m.operation.func);
		check_row(&f, &m, 1, derived_cases[i].row);
	}
	unmake_trace(&f);
}

TEST(rows_begin_and_end_where_they_are_asked_to)
{
	struct made f;
	struct weft_metric m;
	struct weft_buf got = {0};
	set_up(&f);
	make_metric(&m, "State As Is");
	row_text(&f, &m, 0, 160, 310, &got);
	CHECK_STR(got.at, "150| 3 300| 1 700|");
	row_text(&f, &m, 0, 150, 300, &got); /* an end that is reached is behind */
	CHECK_STR(got.at, "150| 3 300|");
	m.top[0].func = weft_func_find(WEFT_FUNC_COMPOSE, "Enumerate"); /* counts from 0, wherever it is looked at */
	row_text(&f, &m, 0, 310, 320, &got);
	CHECK_STR(got.at, "300| 3 700|");
	m.top[0].func = weft_func_find(WEFT_FUNC_COMPOSE, "Join Bursts");
	m.compose[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_COMPOSE, "Sign");
	row_text(&f, &m, 0, 200, 250, &got); /* looks behind the end */
	CHECK_STR(got.at, "150| 1 1000|");
	weft_buf_fini(&got);
	unmake_trace(&f);
}

TEST(filters_choose_events_and_messages)
{
	struct made f;
	struct weft_metric m;
	static const double two = 2, sixty = 60, three = 3;
	set_up(&f);
	make_metric(&m, "Last Evt Val");
	m.filter.test[WEFT_OF_TYPE].list.at = &sixty;
	check_row(&f, &m, 0, "0| 0 100| 5 1000|"); /* with its precision */
	make_metric(&m, "Last Evt Val");
	m.filter.test[WEFT_OF_VALUE] = (struct weft_test){WEFT_TEST_EQ, {&three, 1}};
	check_row(&f, &m, 0, "0| 0 200| 3 1000|");
	m.filter.or_type_value = true;
	m.filter.test[WEFT_OF_TYPE].list.at = &sixty;
	check_row(&f, &m, 0, "0| 0 100| 5 200| 3 1000|");
	make_metric(&m, "Number Of Sends");
	m.filter.test[WEFT_OF_TO] = (struct weft_test){WEFT_TEST_EQ, {&two, 1}};
	check_row(&f, &m, 0, "0| 0 100| 1 1000|");
	check_row(&f, &m, 1, "0| 0 1000|");
	m.filter.inter = m.filter.intra = false;
	check_row(&f, &m, 0, "0| 0 1000|");
	unmake_trace(&f);
}

/* Of two tests with "or" between the first decides alone; when only the second holds, the others are asked, too. */
TEST(an_or_that_holds_at_once_skips_what_comes_later)
{
	struct made f;
	struct weft_metric m;
	static const double one = 1, two = 2, large = 1000;
	set_up(&f);
	make_metric(&m, "Number Of Sends");
	m.filter.or_from_to = true;
	m.filter.test[WEFT_OF_FROM] = (struct weft_test){WEFT_TEST_EQ, {&one, 1}};
	m.filter.test[WEFT_OF_TO] = (struct weft_test){WEFT_TEST_EQ, {&one, 1}};
	m.filter.test[WEFT_OF_SIZE] = (struct weft_test){WEFT_TEST_GT, {&large, 1}};
	check_row(&f, &m, 0, "0| 0 100| 1 1000|");
	check_row(&f, &m, 1, "0| 0 1000|");
	m.filter.test[WEFT_OF_FROM].list.at = &two;
	m.filter.test[WEFT_OF_TO].list.at = &two;
	check_row(&f, &m, 0, "0| 0 1000|");
	unmake_trace(&f);
}

/* Messages that are sent or received at one instant come in the order of their lines, also when the file is not in order of time. */
TEST(messages_of_one_instant_keep_the_order_of_the_file)
{
	static const char lines[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)\n"
				    "3:1:1:1:1:100:150:2:1:2:1:400:700:1:7\n" /* sent and received later than the next */
				    "3:1:1:1:1:100:120:2:1:2:1:300:700:2:8\n"
				    "3:1:1:1:1:50:60:2:1:2:1:300:700:3:9\n";
	struct made f;
	struct weft_metric m;
	make_trace(&f, lines, NULL, NULL);
	make_metric(&m, "Last Send Size");
	check_row(&f, &m, 0, "0| 0 50| 3 100| 1 100| 2 1000|");
	make_metric(&m, "Last Tag");
	check_row(&f, &m, 1, "0| 0 700| 7 700| 8 700| 9 1000|");
	unmake_trace(&f);
}

/* Terabytes a second, as bytes in milliseconds: whole numbers of 1e-12 of them need more than 64 bits. */
TEST(bandwidths_may_be_large)
{
	static const char lines[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)\n"
				    "3:1:1:1:1:100:100:2:1:2:1:200:200:4096:1\n3:1:1:1:1:150:150:2:1:2:1:250:250:2048:1\n";
	struct made f;
	struct weft_metric m;
	make_trace(&f, lines, NULL, NULL);
	make_metric(&m, "Send BandWidth");
	m.unit = WEFT_MS;
	check_row(&f, &m, 0, "0| 0 100| 4.096e+07 150| 6.144e+07 200| 2.048e+07 200| 2.048e+07 250| 0 250| 0 1000|");
	unmake_trace(&f);
}

/* As the tool has it: 1 for the row's first burst, whatever there is in it, and 0 from then on. */
TEST(enumerate_counts_no_further_than_one)
{
	static const char lines[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:1000:1\n"
				    "2:1:1:1:1:200:50:5\n2:1:1:1:1:200:50:6\n2:1:1:1:1:300:50:0\n";
	struct made f;
	struct weft_metric a, b, m;
	make_trace(&f, lines, NULL, NULL);
	make_metric(&a, "Last Evt Val");
	make_metric(&b, "Useful");
	weft_metric_init(&m);
	m.parent[0] = &a;
	m.parent[1] = &b;
	m.operation.func = weft_func_find(WEFT_FUNC_DERIVED, "controlled: enumerate");
	check_row(&f, &m, 0, "0| 1 1000| 0 1000|");
	unmake_trace(&f);
}

TEST(units_are_converted_once)
{
	CHECK(weft_unit_convert(1500, WEFT_NS, WEFT_US) == 1.5);
	CHECK(weft_unit_convert(2, WEFT_HOURS, WEFT_SECONDS) == 7200);
	CHECK(weft_unit_convert(7, WEFT_MS, WEFT_MS) == 7);
	CHECK(weft_unit_convert(1, WEFT_DAYS, WEFT_NS) == 86400e9);
}
