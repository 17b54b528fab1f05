/* SPDX-License-Identifier: Apache-2.0 */
/* Tunlets at work: events in, decisions out, against hand computations; and what goes wrong inside stays inside. */
#include "tune/gen/gen.h"
#include "tune/derive/derive.h"
#include "harness.h"
#include "tune/eval/eval.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
	struct weft_eval *e;
	unsigned n[WEFT_RESULT_RESTARTED + 1];
	struct weft_eval_result last[WEFT_RESULT_RESTARTED + 1];
	char text[256];
	double value[64];
};

static void see(void *ctx, const struct weft_eval_result *what)
{
	struct seen *s = ctx;
	s->n[what->kind]++;
	s->last[what->kind] = *what;
	if (what->text)
		snprintf(s->text, sizeof s->text, "%s", what->text);
	for (uint32_t i = 0; what->kind == WEFT_RESULT_EVALUATED && i < what->n && i < 64; i++)
		s->value[i] = what->value[i];
}

static struct weft_spec *open_spec(const char *path)
{
	struct weft_spec *s;
	struct weft_err err = {0};
	if (weft_spec_open(&s, path, &err))
		printf("# %s\n", err.text);
	REQUIRE(s != NULL);
	return s;
}

static struct weft_eval *begin(struct weft_spec *s, struct seen *seen)
{
	struct weft_eval_how how = {.result = see, .ctx = seen, .limit_ns = 10000000000};
	struct weft_err err = {0};
	*seen = (struct seen){0};
	if (weft_eval_new(&seen->e, s, &how, &err))
		printf("# %s\n", err.text);
	REQUIRE(seen->e != NULL);
	return seen->e;
}

/* Events of itertime.tsl in its order: 0 Initialize, 1 Divide, 2 3 Process1, 4 5 Finalize, 6 7 Process2, 8 Send2. */
static void send(struct weft_eval *e, uint32_t event, double time)
{
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = event, .id = event < 6 ? 1 : 2, .time = time}, NULL) == 0);
}

TEST(iteration_time_as_in_the_drawing)
{
	struct seen seen;
	struct weft_spec *s = open_spec(test_source("share/weft/tunlets/itertime.tsl"));
	struct weft_eval *e = begin(s, &seen);
	/* i1=0 i3=10 i4=12 (P1) P2 begins 15; P1 ends 50, P2 ends 60 = i7; i8=64, i9=70, i10=75. P2's events come late. */
	static const struct {
		uint32_t event;
		double time;
	} events[] = {{0, 0}, {1, 10}, {2, 12}, {3, 50}, {4, 70}, {5, 75}, {6, 15}, {7, 60}, {8, 64}};
	for (int i = 0; i < 9; i++) {
		CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 0);
		send(e, events[i].event, events[i].time);
	}
	CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 1);
	static const double want[] = {10, 12, 60, 48, 5, 2 + 4, 6, 63, 12, 75};
	static const char *const name[] = {"Tini", "first", "last", "Tproc", "Tfin", "Tsend", "Trecv", "Tcomp", "Tcomm", "Tex"};
	for (uint32_t i = 0; i < 10; i++) {
		CHECK_STR(weft_eval_value_name(e, i), name[i]);
		CHECK_NEAR(seen.value[i], want[i], 1e-12);
	}
	CHECK(weft_eval_value_name(e, 10) == NULL);
	CHECK_U64(seen.n[WEFT_RESULT_TUNE], 0);
	weft_eval_free(e);
	weft_spec_free(s);
}

/* The compilers: as it is chosen, the system's, and none, which leaves the one in the library, where this build has it. */
static int compilers(void);

static void use_compiler(int which)
{
	static char path[4096];
	if (!path[0])
		snprintf(path, sizeof path, "%s", getenv("PATH"));
	if (which == 1)
		setenv("CC", "cc", 1);
	else
		unsetenv("CC");
	setenv("PATH", which == 2 ? "/no/such/folder" : path, 1);
}

/* One actor p; a parameter from the statements of each row; its first value after one iteration. */
static const char tiny[] =
	"TUNLET\nid: tiny\nunit: ms\ninclude: %s\nMEASURE POINTS\nVARIABLES AND VALUES\nEVENTS\n"
	"event\nid: B\nactorId: p\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nendevent\n"
	"event\nid: E\nactorId: p\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nendevent\n"
	"ACTORS\nactor\nid: p\nmin: 1\nmax: 3\ncompletion: /# 1 #/\nexe: p\nATTRS\n"
	"id: t\ntype: double\ninic: /# t = 0; #/\nvalue: /# p[E.id].t = E.timestamp; #/\ndependency: E\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n"
	"id: y\ntype: %s\ninic: /# y = 0; #/\nvalue: /# %s #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nfunc def: /# %s #/\nendfunc\nTUNING POINTS\nENDTUNLET\n";

static struct weft_spec *tiny_spec(const char *include, const char *type, const char *value, const char *function)
{
	struct weft_buf b = {0};
	struct weft_spec *s;
	weft_buf_printf(&b, tiny, include, type, value, function ? function : "int f(int a) { return a + 1; }");
	REQUIRE(weft_spec_new(&s, "tiny.tsl", b.at, b.n, NULL) == 0);
	weft_buf_fini(&b);
	return s;
}

static int compilers(void)
{
	static int known;
	if (known)
		return known;
	struct weft_spec *s = tiny_spec("math.h", "int", "y = 1;", NULL);
	struct weft_eval *e;
	use_compiler(2);
	known = weft_eval_new(&e, s, &(struct weft_eval_how){0}, NULL) ? 2 : 3;
	use_compiler(0);
	weft_eval_free(e);
	weft_spec_free(s);
	return known;
}

static const struct {
	const char *type, *value, *function;
	double want;
} computed[] = {
	{"int", "y = 7 / 2;", 0, 3},
	{"int", "y = -7 % 3;", 0, -1},
	{"double", "y = 7 / 2.0;", 0, 3.5},
	{"double", "y = 1 + 2 * 3 - 4;", 0, 3},
	{"int", "y = 010;", 0, 10},
	{"int", "y = 0x10 | 3;", 0, 19},
	{"int", "int i = 5; y = i++ + ++i;", 0, 12},
	{"int", "int a[4]; for (int i = 0; i < 4; i++) a[i] = i * i; y = a[3] + a[2];", 0, 13},
	{"int", "int i = 0; while (1) { i += 3; if (i > 10) break; else continue; } y = i;", 0, 12},
	{"int", "int i = 9; do i--; while (i > 4); y = i;", 0, 4},
	{"int", "y = 3 > 2 && !(1 > 2) || 0 ? 5 : 6;", 0, 5},
	{"int", "y = 2; y <<= 3; y -= 1; y /= 2; y %= 4;", 0, 3},
	{"double", "y = fmax(pow(2, 10), sqrt(16)) + min(3, 4);", 0, 1027},
	{"int", "y = (int)2.9 + (int)-2.9;", 0, 0},
	{"short", "y = 32767;", 0, 32767},
	{"double", "y = f(41);", 0, 42},
	{"double", "y = f(3);",
         "double f(double a) { double s = 0; for (int i = 0; i < a; i++) { if (i == 1) continue; s += i + 0.5; } return s; }", 3},
	{"double", "y = f(2);", "double f(int a) { struct pair { double u, w; } v = {a, 2 * a}; return v.u * v.w + y; }", 8},
	{"double", "y = p[0].t + count(p);", 0, 6},
};

TEST(values_are_computed_as_c_does)
{
	for (size_t i = 0; i < (size_t)compilers() * sizeof computed / sizeof computed[0]; i++) {
		struct seen seen;
		use_compiler((int)i % compilers());

		size_t row = i / (size_t)compilers();
		struct weft_spec *s = tiny_spec("math.h", computed[row].type, computed[row].value, computed[row].function);
		struct weft_eval *e = begin(s, &seen);
		CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
		CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
		if (!CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 1) || !CHECK_NEAR(seen.value[0], computed[row].want, 1e-12))
			printf("# %s, compiler %d\n", computed[row].value, (int)i % compilers());
		weft_eval_free(e);
		weft_spec_free(s);
	}
	use_compiler(0);
}

/* An expression of numbers and functions, any way round; real or whole. */
static void random_expression(struct weft_buf *b, int depth, bool whole)
{
	static const char *const real_op[] = {" + ", " - ", " * ", " / "}, *const whole_op[] = {" + ", " - ", " * ", " | ",
	                                                                                        " & "};
	static const char *const function[] = {"sqrt(fabs(", "sin((", "floor((", "exp(-fabs(", "(double)(float)(("};
	if (depth == 0) {
		weft_buf_printf(b, whole ? "%d" : "%d.%d", (int)(test_random() % 90) + 1, (int)(test_random() % 1000));
	} else if (!whole && test_random() % 3 == 0) {
		weft_buf_puts(b, function[test_random() % 5]);
		random_expression(b, depth - 1, false);
		weft_buf_puts(b, "))");
	} else if (!whole && test_random() % 4 == 0) {
		weft_buf_puts(b, "(double)(");
		random_expression(b, depth - 1, true);
		weft_buf_puts(b, ")");
	} else {
		weft_buf_puts(b, "(");
		random_expression(b, depth - 1, whole);
		weft_buf_puts(b, whole ? whole_op[test_random() % 5] : real_op[test_random() % 4]);
		random_expression(b, depth - 1, whole);
		weft_buf_puts(b, ")");
	}
}

/* What a compiler makes of it: the bits of the result, or the fault. */
static uint64_t compute(const char *statements, int compiler)
{
	struct seen seen;
	use_compiler(compiler);
	struct weft_spec *s = tiny_spec("math.h", "double", statements, NULL);
	struct weft_eval *e = begin(s, &seen);
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
	uint64_t bits = 0;
	if (seen.n[WEFT_RESULT_EVALUATED])
		memcpy(&bits, &seen.value[0], sizeof bits);
	else
		bits = seen.last[WEFT_RESULT_FAULT].fault;
	weft_eval_free(e);
	weft_spec_free(s);
	use_compiler(0);
	return bits;
}

TEST(all_compilers_compute_the_same)
{
	unsigned evaluated = 0;
	for (int round = 0; round < 8; round++) {
		struct weft_buf b = {0};
		for (int k = 0; k < 12; k++) {
			weft_buf_puts(&b, k ? " y = y * 0.75 + " : "y = ");
			random_expression(&b, 5, false);
			weft_buf_puts(&b, ";");
		}
		uint64_t bits = compute(b.at, 1);
		evaluated += bits > 100;
		CHECK_U64(compute(b.at, compilers() - 1), bits);
		CHECK_U64(compute(b.at, 0), bits);
		weft_buf_fini(&b);
	}
	CHECK(evaluated > 2);
}

/* A function may compute; it has no business with the system. */
TEST(what_a_tunlet_has_no_business_with)
{
	static const struct {
		const char *what, *function;
	} rows[] = {
		{"file", "int f(int a) { extern int open(const char *, int, ...); return open(\"/etc/passwd\", 0) * a; }"},
		{"socket", "int f(int a) { extern int socket(int, int, int); return socket(1, 1, 0) * a; }"},
		{"process", "int f(int a) { extern int fork(void); return fork() * a; }"},
		{"program", "int f(int a) { extern int system(const char *); return system(\"true\") * a; }"},
		{"signal", "int f(int a) { extern int kill(int, int), getppid(void); return kill(getppid(), 0) * a; }"},
		{"code", "int f(int a) { extern void *mmap(void *, unsigned long, int, int, int, long);"
	                 " return mmap(0, 4096, 7, 0x22, -1, 0) != 0 && a; }"},
	};
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("a sanitizer wants more of the system");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct seen seen;
		struct weft_spec *s = tiny_spec("math.h", "int", "y = f(1);", rows[i].function);
		struct weft_eval *e = begin(s, &seen);
		CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
		CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
		CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 0);
		CHECK_U64(seen.n[WEFT_RESULT_FAULT], 1);
		if (!CHECK(seen.last[WEFT_RESULT_FAULT].fault == FAULT_FENCE))
			printf("# %s: %s\n", rows[i].what, weft_fault_name[seen.last[WEFT_RESULT_FAULT].fault]);
		/* It goes on, with a new process. */
		CHECK_U64(seen.n[WEFT_RESULT_RESTARTED], 1);
		CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 11}, NULL) == 0);
		weft_eval_free(e);
		weft_spec_free(s);
	}
	/* Memory, time and talk on the standard streams are its own. */
	struct seen seen;
	struct weft_spec *s = tiny_spec(
		"stdlib.h", "int", "y = f(1);",
		"int f(int a) { extern int write(int, const char *, unsigned long); extern long time(long *);"
		" char *at = malloc(1000000); at[999999] = 1; free(at); return write(1, \"\", 0) == 0 && time(0) > a; }");
	struct weft_eval *e = begin(s, &seen);
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
	CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 1);
	CHECK_NEAR(seen.value[0], 1, 0);
	weft_eval_free(e);
	weft_spec_free(s);
}

/* What would run by being loaded is not loaded; by either compiler. */
TEST(what_runs_by_being_loaded_is_refused)
{
	static const char body[] = "int f(int a) { struct { int n; } x = {a}; return x.n; }";
	static const struct {
		const char *what, *function;
	} rows[] = {
		{"a constructor", "int boom(void) __attribute__((constructor)); int boom(void) { MARK; return 0; }"},
		{"a destructor", "void boom(void) __attribute__((destructor)); void boom(void) { MARK; }"},
		{"a constructor",
	         "void boom(void) { MARK; } void (*const boom_at[])(void) __attribute__((section(\".init_array\"),used)) ="
	         " {boom};"},
		{"the resolver of an indirect function",
	         "int real(void) { return 1; } void *choose(void) { MARK; return (void *)real; }"
	         " int many(void) __attribute__((ifunc(\"choose\"))); int (*volatile held)(void) = many;"},
		{"what makes the variables of a thread", "__thread int boom = 3;"},
	};
	for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
		char mark[200], text[1200], function[900];
		const char *at = strstr(rows[i / 2].function, "MARK");
		snprintf(mark, sizeof mark, "%s/mark", test_dir());
		unlink(mark);
		if (at)
			snprintf(function, sizeof function, "%.*sextern int creat(const char *, unsigned); creat(\"%s\", 0600)%s",
			         (int)(at - rows[i / 2].function), rows[i / 2].function, mark, at + 4);
		else
			snprintf(function, sizeof function, "%s", rows[i / 2].function);
		snprintf(text, sizeof text, "%s %s", body, function);
		use_compiler(i % 2 ? compilers() - 1 : 0);
		struct weft_eval *e = NULL;
		struct weft_err err = {0};
		struct weft_spec *s = tiny_spec("math.h", "int", "y = f(1);", text);
		int rc = weft_eval_new(&e, s, &(struct weft_eval_how){0}, &err);
		/* TinyCC knows not all of these, and passes over them or says so. */
		if (i % 2 == 0 && !CHECK(rc != 0 && strstr(err.text, rows[i / 2].what)))
			printf("# %zu: %s\n", i, err.text);
		CHECK(access(mark, F_OK) != 0);
		weft_eval_free(e);
		weft_spec_free(s);
	}
	use_compiler(0);
}

/* Handlers written by hand may have constructors: behind the fence. */
TEST(constructors_of_handlers_run_behind_the_fence)
{
	struct seen seen;
	struct weft_eval *e;
	struct weft_err err = {0};
	int status;
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("a sanitizer wants more of the system");
	free(test_shell(&status,
	                "cd %s; printf '#include <fcntl.h>\n#include <weft/tunlet.h>\n#include <stdlib.h>\nstatic int x;\n"
	                "__attribute__((constructor)) static void begin(void) { x = getpagesize() + open(WHAT, HOW, 0600); }\n"
	                "const struct weft_tunlet weft_tunlet = {.version = WEFT_TUNLET_VERSION};\n' >hand.c; "
	                "cc -w -include unistd.h -I%s -shared -fPIC -DWHAT='\"mark\"' '-DHOW=O_RDWR|O_CREAT' -o bad.so hand.c && "
	                "cc -w -include unistd.h -I%s -shared -fPIC -DWHAT='\"hand.c\"' -DHOW=O_RDONLY -o good.so hand.c",
	                test_dir(), test_source("include"), test_source("include")));
	CHECK_U64(status, 0);
	for (int good = 0; good < 2; good++) {
		char path[300], mark[300];
		snprintf(path, sizeof path, "%s/%s.so", test_dir(), good ? "good" : "bad");
		snprintf(mark, sizeof mark, "%s/mark", test_dir());
		seen = (struct seen){0};
		struct weft_spec *s = tiny_spec("math.h", "int", "y = 1;", NULL);
		struct weft_eval_how how = {.result = see, .ctx = &seen, .handlers = path};
		int rc = weft_eval_new(&e, s, &how, &err);
		CHECK(good ? rc == 0 : rc != 0);
		CHECK_U64(seen.n[WEFT_RESULT_FAULT], good ? 0 : 1);
		CHECK(good || seen.last[WEFT_RESULT_FAULT].fault == FAULT_FENCE);
		CHECK(access(mark, F_OK) != 0);
		weft_eval_free(e);
		weft_spec_free(s);
	}
}

/* Nothing of who began it: environment, descriptors of any number. */
TEST(functions_inherit_nothing)
{
	struct seen seen;
	char *fds, command[100];
	int status, high = fcntl(0, F_DUPFD, 1500);
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("a sanitizer has its own environment");
	setenv("WEFT_TEST_SECRET", "hush", 1);
	struct weft_spec *s = tiny_spec("stdlib.h", "int", "y = f(1);",
	                                "int f(int a) { struct { int n; } x = {a}; extern char **environ, *getenv(const char *);"
	                                " return getenv(\"WEFT_TEST_SECRET\") ? 2 : environ ? 3 : x.n; }");
	struct weft_eval *e = begin(s, &seen);
	snprintf(command, sizeof command, "for p in $(cat /proc/%d/task/%d/children)", getpid(), getpid());
	fds = test_shell(&status, "%s; do test $p = $$ || ls /proc/$p/fd; done | tr '\\n' ' '", command);
	CHECK_STR(fds, "0 1 2 3 ");
	free(fds);
	fds = test_shell(&status, "%s; do test $p = $$ || grep -c hush /proc/$p/environ; done", command);
	CHECK_STR(fds, "0\n");
	free(fds);
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
	CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 1);
	CHECK_NEAR(seen.value[0], 1, 0);
	weft_eval_free(e);
	weft_spec_free(s);
	close(high);
}

static const struct {
	const char *type, *value;
	enum tune_fault want;
} faults[] = {
	{"int", "int z = 0, w = 7; y = w / z;", FAULT_DIVISION},
	{"int", "int z = 0; y %= z;", FAULT_DIVISION},
	{"short", "y = 32768;", FAULT_RANGE},
	{"int", "y = 2000000000; y += y;", FAULT_RANGE},
	{"int", "y = sqrt(0.0 - count(p));", FAULT_RANGE},
	{"int", "int a[2]; int i = 2; y = a[i];", FAULT_INDEX},
	{"int", "int a[2]; int i = -1; a[i] = 1; y = 1;", FAULT_INDEX},
	{"double", "y = p[1].t;", FAULT_PROCESS},
};

TEST(faults_are_named_and_contained)
{
	for (size_t round = 0; round < (size_t)compilers() * sizeof faults / sizeof faults[0]; round++) {
		struct seen seen;
		size_t i = round / (size_t)compilers();
		use_compiler((int)round % compilers());
		struct weft_spec *s = tiny_spec("math.h", faults[i].type, faults[i].value, NULL);
		struct weft_eval *e = begin(s, &seen);
		for (int k = 0; k < 2; k++) {
			CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
			CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
		}
		/* Each of the two iterations has its fault, in the same process. */
		CHECK_U64(seen.n[WEFT_RESULT_FAULT], 2);
		CHECK_U64(seen.n[WEFT_RESULT_INCOMPLETE], 2);
		CHECK_U64(seen.n[WEFT_RESULT_RESTARTED], 0);
		CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 0);
		if (!CHECK_STR(weft_fault_name[seen.last[WEFT_RESULT_FAULT].fault], weft_fault_name[faults[i].want]))
			printf("# %s, compiler %d\n", faults[i].value, (int)round % compilers());
		weft_eval_free(e);
		weft_spec_free(s);
	}
	use_compiler(0);
}

/* What the compiler says has the place in the specification; TinyCC's knows the line only. */
TEST(compiler_errors_have_their_place)
{
	for (int compiler = 0; compiler < compilers(); compiler++) {
		struct weft_spec *s = tiny_spec("math.h", "int", "y = f(1);",
		                                "int f(int a) { struct { int n; } x = {y};\n  return x.nothing; }");
		struct weft_eval_how how = {0};
		struct weft_eval *e;
		struct weft_err err = {0};
		use_compiler(compiler);
		CHECK(weft_eval_new(&e, s, &how, &err) == WEFT_E_SYNTAX);
		CHECK(e == NULL);
		bool place = strncmp(err.text, "tiny.tsl:47:", 12) == 0, what = strstr(err.text, "nothing") != NULL;
		if (!CHECK(place) || !CHECK(what))
			printf("# %s\n", err.text);
		weft_spec_free(s);
		s = tiny_spec("no_such_header_at_all.h", "int", "y = f(1);",
		              "int f(int a) { struct { int n; } x = {a}; return x.n; }");
		err = (struct weft_err){0};
		CHECK(weft_eval_new(&e, s, &how, &err) < 0);
		CHECK(strstr(err.text, "no_such_header_at_all.h") != NULL);
		weft_spec_free(s);
	}
	use_compiler(0);
}

TEST(nothing_is_translated_with_errors)
{
	struct weft_spec *s = tiny_spec("math.h", "int", "y = nowhere;", NULL);
	struct tune_source t;
	CHECK(tune_translate(s, TUNE_WHOLE, &t) == -EINVAL);
	weft_spec_free(s);
}

TEST(an_order_of_events_does_not_matter)
{
	struct weft_spec *s = open_spec(test_source("share/weft/tunlets/itertime.tsl"));
	struct seen seen;
	struct weft_eval *e = begin(s, &seen);
	/* Within a process events are in order; between the two any order gives the same. */
	static const double time[] = {0, 10, 12, 50, 70, 75, 15, 60, 64};
	for (int round = 0; round < 50; round++) {
		unsigned a = 0, b = 6;
		send(e, a++, time[0]); /* the begin names the iteration */
		while (a < 6 || b < 9) {
			bool first = b == 9 || (a < 6 && test_random() % 2);
			unsigned k = first ? a++ : b++;
			send(e, k, time[k]);
		}
		CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], (uint64_t)round + 1);
		CHECK_NEAR(seen.value[9], 75, 1e-12);
	}
	CHECK_U64(seen.n[WEFT_RESULT_INCOMPLETE], 0);
	weft_eval_free(e);
	weft_spec_free(s);
}

TEST(bad_calls_are_refused)
{
	struct weft_spec *s = tiny_spec("math.h", "int", "y = 1;", NULL);
	struct seen seen;
	struct weft_eval *e = begin(s, &seen);
	struct weft_err err = {0};
	CHECK(weft_eval_event(e, &(struct weft_eval_record){.event = 2, .id = 1, .time = 1}, &err) == -EINVAL);
	CHECK(weft_eval_process(e, 1, 1, NULL, true, &err) == -EINVAL);
	weft_eval_free(e);
	weft_spec_free(s);
}

TEST(memory_of_a_tunlet_is_limited)
{
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("a sanitizer has memory of its own");
	struct weft_spec *s = tiny_spec(
		"stdlib.h", "int", "y = f(4096);",
		"int f(int most) { char *at; int n = 0; while (n < most && (at = malloc(65536))) { at[n]; n++; } return n; }");
	struct seen seen = {0};
	struct weft_eval_how how = {.result = see, .ctx = &seen, .limit_ns = 10000000000, .memory = 64 << 20};
	REQUIRE(weft_eval_new(&seen.e, s, &how, NULL) == 0);
	CHECK(weft_eval_event(seen.e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1}, NULL) == 0);
	CHECK(weft_eval_event(seen.e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 5}, NULL) == 0);
	CHECK_U64(seen.n[WEFT_RESULT_EVALUATED], 1);
	CHECK(seen.value[0] > 100 && seen.value[0] <= 1024);
	weft_eval_free(seen.e);
	weft_spec_free(s);
}

TEST(translation_reports_each_failed_allocation)
{
	struct weft_spec *s = open_spec(test_source("share/weft/tunlets/loadbalance.tsl"));
	struct tune_source whole;
	struct weft_buf form = {0};
	REQUIRE(tune_translate(s, TUNE_WHOLE, &whole) == 0 && weft_spec_xml(s, &form) == 0);
	CHECK(whole.text.n > 1000 && form.n > 1000);
	TEST_EACH_ALLOCATION_FAILS {
		struct tune_source t;
		int rc = tune_translate(s, TUNE_WHOLE, &t);
		if (rc)
			CHECK(test_alloc_failed() && rc == -ENOMEM);
		else
			CHECK_STR(t.text.at, whole.text.at);
		tune_source_fini(&t);
	}
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf xml = {0};
		int rc = weft_spec_xml(s, &xml);
		if (rc)
			CHECK(test_alloc_failed() && rc == -ENOMEM);
		else
			CHECK_STR(xml.at, form.at);
		weft_buf_fini(&xml);
	}
	tune_source_fini(&whole);
	weft_buf_fini(&form);
	weft_spec_free(s);
}
