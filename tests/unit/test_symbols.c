/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of programs that are compiled here: each address of their code must have the frames that addr2line says. */
#include "build_maker.h"
#include "base/str.h"
#include "symbols/symbols.h"
#include <inttypes.h>
#include <stdio.h>

static const char source[] = "extern int sink;\n"
			     "static inline __attribute__((always_inline)) int deep(int x)\n"
			     "{\n"
			     "\tfor (int i = 0; i < x; i++)\n"
			     "\t\tsink ^= i;\n"
			     "\treturn sink;\n"
			     "}\n"
			     "static inline __attribute__((always_inline)) int middle(int x)\n"
			     "{\n"
			     "\treturn deep(x) +\n"
			     "\t\tdeep(2 * x);\n"
			     "}\n"
			     "int sink;\n"
			     "__attribute__((noinline)) int outer(int x)\n"
			     "{\n"
			     "\tsink++;\n"
			     "\treturn middle(x) * 3;\n"
			     "}\n"
			     "__attribute__((noinline)) static int local_one(int x) { return x ^ sink; }\n"
			     "int main(int c, char **v) { (void)v; return outer(c) + local_one(c); }\n";

enum { LOADED = 0x7f0000000000 };

/* Compiles p.c as `how` says, in the test's folder; the folder. */
static const char *compiled(const char *text, const char *name, const char *how)
{
	const char *dir = test_dir();
	char path[4200];
	int status;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(text, f) >= 0);
	fclose(f);
	char *said = test_shell(&status, "cd %s && { %s; } 2>&1", dir, how);
	if (status)
		printf("# %s\n", said);
	free(said);
	REQUIRE(status == 0);
	return dir;
}

struct world {
	struct weft_trace *t;
	struct weft_symbols *s;
};

static void world_open(struct world *w, const char *dir, const char *file, const char *build_id)
{
	char path[4200];
	struct weft_builder *b = made_builder(1);
	snprintf(path, sizeof path, "%s/%s", dir, file);
	struct weft_module m = {.process = 0, .first = LOADED, .end = LOADED + 0x100000, .path = path, .build_id = build_id};
	REQUIRE(weft_build_module(b, &m) == 0);
	made_point(b, 0, 1, 1);
	w->t = made_trace(b);
	REQUIRE(weft_symbols_new(&w->s, w->t, NULL) == 0);
}

static void world_close(struct world *w)
{
	weft_symbols_free(w->s);
	weft_trace_close(w->t);
}

static uint64_t symbol(const char *dir, const char *name, uint64_t *size)
{
	int status;
	char *said = test_shell(&status, "nm -S %s/p | sed -n 's/ [tT] %s$//p'", dir, name);
	uint64_t at = 0;
	*size = 0;
	CHECK(sscanf(said, "%" SCNx64 " %" SCNx64, &at, size) == 2);
	free(said);
	return at;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* "outer\np.c:17\n" for each frame, as addr2line -f -i -s says it. */
static char *frames_text(struct world *w, uint64_t addr)
{
	struct weft_buf z = {0};
	uint32_t n;
	const struct weft_frame *f = weft_symbols_find(w->s, 0, LOADED + addr, false, &n);
	REQUIRE(f && n > 0);
	for (uint32_t i = 0; i < n; i++)
		weft_buf_printf(&z, "%s\n%s:%u\n", weft_symbols_function(w->s, f[i].function)->name,
		                base_of(weft_symbols_text(w->s, f[i].file)), f[i].line);
	REQUIRE(!z.failed);
	return z.at;
}

static void check_all_addresses(struct world *w, const char *dir, const char *function)
{
	uint64_t size, at = symbol(dir, function, &size);
	for (uint64_t k = 0; k < size; k += 3) {
		int status;
		char *theirs = test_shell(&status, "addr2line -f -i -s -e %s/p 0x%" PRIx64 " | sed 's/ (discriminator .*)//'",
		                          dir, at + k),
		     *ours = frames_text(w, at + k);
		CHECK_STR(ours, theirs);
		free(theirs);
		free(ours);
	}
}

TEST(symbols_are_what_addr2line_says)
{
	static const char *const ways[] = {
		"gcc -O2 -g -o p p.c",
		"gcc -O2 -g -gdwarf-4 -no-pie -o p p.c",
		"gcc -O0 -g -o p p.c",
		"gcc -O2 -g -o p p.c && objcopy --only-keep-debug p p.debug && cp p q && strip -o r p && objcopy --add-gnu-debuglink=p.debug r",
	};
	for (unsigned k = 0; k < 4; k++) {
		struct world w;
		const char *dir = compiled(source, "p.c", ways[k]);
		int status;
		/* The addresses of one that does not move are its own. */
		char *base =
			test_shell(&status,
		                   "readelf -lW %s/p | sed -n 's/^  LOAD *0x[0-9a-f]* 0x0*\\([0-9a-f]\\+\\) .*/\\1/p' | head -1",
		                   dir);
		uint64_t first = strtoull(base, NULL, 16);
		free(base);
		struct weft_builder *b = made_builder(1);
		char path[4200];
		snprintf(path, sizeof path, "%s/%s", dir, k == 3 ? "r" : "p");
		struct weft_module m = {.process = 0,
		                        .first = LOADED + first,
		                        .end = LOADED + first + 0x100000,
		                        .path = path,
		                        .build_id = ""};
		REQUIRE(weft_build_module(b, &m) == 0);
		made_point(b, 0, 1, 1);
		w.t = made_trace(b);
		REQUIRE(weft_symbols_new(&w.s, w.t, NULL) == 0);
		check_all_addresses(&w, dir, "outer");
		check_all_addresses(&w, dir, "local_one");
		CHECK_U64(weft_symbols_n_problems(w.s), 0);
		world_close(&w);
	}
}

TEST(symbols_know_what_was_put_into_a_function)
{
	struct world w;
	const char *dir = compiled(source, "p.c", "gcc -O2 -g -o p p.c");
	uint64_t size, at = symbol(dir, "outer", &size);
	unsigned deepest = 0;
	world_open(&w, dir, "p", "");
	for (uint64_t k = 0; k < size; k++) {
		uint32_t n;
		const struct weft_frame *f = weft_symbols_find(w.s, 0, LOADED + at + k, false, &n);
		REQUIRE(f);
		deepest = n > deepest ? n : deepest;
		CHECK_STR(weft_symbols_function(w.s, f[n - 1].function)->name, "outer");
		CHECK(!f[n - 1].inlined);
		for (uint32_t i = 0; i + 1 < n; i++)
			CHECK(f[i].inlined);
	}
	CHECK_U64(deepest, 3);
	world_close(&w);
}

/* The address behind the last instruction of a function that never returns belongs to the next one; what called is before it. */
TEST(symbols_of_a_return_address_are_of_the_call)
{
	struct world w;
	const char *dir = compiled(source, "p.c", "gcc -O2 -g -o p p.c");
	uint64_t size, at = symbol(dir, "outer", &size);
	uint32_t n;
	world_open(&w, dir, "p", "");
	const struct weft_frame *f = weft_symbols_find(w.s, 0, LOADED + at + size, true, &n);
	CHECK_STR(weft_symbols_function(w.s, f[n - 1].function)->name, "outer");
	f = weft_symbols_find(w.s, 0, LOADED + at, true, &n);
	CHECK(strcmp(weft_symbols_function(w.s, f[n - 1].function)->name, "outer") != 0);
	world_close(&w);
}

/* Without names a function is where it begins: all its addresses are one. */
TEST(symbols_of_a_stripped_file_are_module_and_begin)
{
	struct world w;
	const char *dir = compiled(source, "p.c", "gcc -O2 -g -o p p.c && strip -o s p");
	uint64_t size, at = symbol(dir, "outer", &size);
	char expected[64];
	snprintf(expected, sizeof expected, "s+0x%" PRIx64, at);
	world_open(&w, dir, "s", "");
	for (uint64_t k = 0; k < size; k++) {
		uint32_t n;
		const struct weft_frame *f = weft_symbols_find(w.s, 0, LOADED + at + k, false, &n);
		REQUIRE(n == 1);
		CHECK_STR(weft_symbols_function(w.s, f->function)->name, expected);
		CHECK_U64(f->line, 0);
	}
	world_close(&w);
}

TEST(symbols_check_the_build)
{
	struct world w;
	int status;
	const char *dir = compiled(source, "p.c", "gcc -O2 -g -Wl,--build-id -o p p.c");
	char *id = test_shell(&status, "readelf -n %s/p | sed -n 's/.*Build ID: //p' | tr -d '\\n'", dir);
	uint64_t size, at = symbol(dir, "outer", &size);
	uint32_t n;
	world_open(&w, dir, "p", id);
	const struct weft_frame *f = weft_symbols_find(w.s, 0, LOADED + at, false, &n);
	CHECK_STR(weft_symbols_function(w.s, f[n - 1].function)->name, "outer");
	world_close(&w);

	id[0] = id[0] == 'a' ? 'b' : 'a';
	world_open(&w, dir, "p", id);
	for (unsigned k = 0; k < 2; k++) {
		f = weft_symbols_find(w.s, 0, LOADED + at + k, false, &n);
		CHECK_U64(n, 1);
		CHECK(!strncmp(weft_symbols_function(w.s, f->function)->name, "p+0x", 4));
	}
	REQUIRE(weft_symbols_n_problems(w.s) == 1);
	CHECK(strstr(weft_symbols_problem(w.s, 0), "is another build than the one that ran"));
	CHECK(strstr(weft_symbols_problem(w.s, 0), id));
	world_close(&w);
	free(id);
}

TEST(symbols_speak_cpp)
{
	static const char text[] =
		"extern volatile int sink;\nnamespace ns { template<class T> struct Vec { __attribute__((noinline)) void push(T x, const char *) "
		"{ sink = (int)x; } }; }\n"
		"volatile int sink;\ntemplate struct ns::Vec<double>;\nint main() { ns::Vec<double> v; v.push(1, \"\"); }\n";
	static const char *const flags[] = {"-g", ""};
	for (unsigned k = 0; k < 2; k++) {
		struct world w;
		char how[100];
		snprintf(how, sizeof how, "g++ -O1 %s -o p p.cc", flags[k]);
		const char *dir = compiled(text, "p.cc", how);
		int status;
		char *said = test_shell(&status, "nm %s/p | sed -n 's/ . _ZN2ns3VecIdE4push.*//p' | tr -d '\\n'", dir);
		uint64_t at = strtoull(said, NULL, 16);
		uint32_t n;
		free(said);
		world_open(&w, dir, "p", "");
		const struct weft_frame *f = weft_symbols_find(w.s, 0, LOADED + at + 1, false, &n);
		CHECK_STR(weft_symbols_function(w.s, f[n - 1].function)->name, "ns::Vec<double>::push(double,char const*)");
		world_close(&w);
	}
}

TEST(symbols_of_nothing_are_addresses)
{
	struct world w;
	const char *dir = compiled("no program\n", "p", "true");
	uint32_t n;
	world_open(&w, dir, "p", "");
	const struct weft_frame *f = weft_symbols_find(w.s, 0, LOADED + 0x123, false, &n);
	CHECK_STR(weft_symbols_function(w.s, f->function)->name, "p+0x123");
	REQUIRE(weft_symbols_n_problems(w.s) == 1);
	CHECK(strstr(weft_symbols_problem(w.s, 0), "is no 64-bit ELF file"));
	f = weft_symbols_find(w.s, 0, 0x99, false, &n);
	CHECK_STR(weft_symbols_function(w.s, f->function)->name, "0x99");
	f = weft_symbols_find(w.s, 17, LOADED, false, &n);
	CHECK_U64(n, 1);
	CHECK_U64(weft_symbols_n_problems(w.s), 1);
	world_close(&w);
}
