/* SPDX-License-Identifier: Apache-2.0 */
/* opt.c: every way to write an option, every way to get it wrong, and the help text. */
#include "harness.h"
#include "base/opt.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	bool json, quiet, color;
	const char *output;
	struct weft_opt_list only;
	uint64_t n, memory, every;
	double ratio;
};

static const struct weft_opt table[] = {
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Output:"},
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct args, output), "write to FILE instead of stdout"},
	{'j', "json", NULL, WEFT_OPT_FLAG, offsetof(struct args, json), "print JSON"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct args, quiet), "say nothing"},
	{0, "no-color", NULL, WEFT_OPT_NOFLAG, offsetof(struct args, color), "no colours"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "What to read:"},
	{0, "only", "GLOB", WEFT_OPT_LIST, offsetof(struct args, only), "only what matches GLOB (may be given more than once)"},
	{'n', NULL, "N", WEFT_OPT_U64, offsetof(struct args, n), "the first N"},
	{'m', "memory-limit", "BYTES", WEFT_OPT_BYTES, offsetof(struct args, memory),
         "use no more memory than BYTES and work out of core beyond, which is slower but always gives the same result"},
	{0, "every", "TIME", WEFT_OPT_NS, offsetof(struct args, every), "a sample each TIME"},
	{0, "ratio-of-something-with-a-long-name", "R", WEFT_OPT_DOUBLE, offsetof(struct args, ratio), "a ratio"},
	{0},
};

enum { ARGV_MAX = 32 };

struct run {
	struct args args;
	char *argv[ARGV_MAX + 1]; /* NULL-terminated, as a program's */
	char text[1000];
	int argc, n_operands, rc;
	struct weft_err err;
};

/* Parses the words of `line`; a word of two quotes is the empty argument. */
static struct run *parse_line(const char *line, unsigned flags)
{
	static struct run r;
	r = (struct run){.args = {.color = true}, .n_operands = -1};
	snprintf(r.text, sizeof r.text, "weft %s", line);
	for (char *save, *word = strtok_r(r.text, " ", &save); word && r.argc < ARGV_MAX; word = strtok_r(NULL, " ", &save))
		r.argv[r.argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
	r.rc = weft_opt_parse(table, &r.args, r.argc, r.argv, flags, &r.n_operands, &r.err);
	return &r;
}

TEST(opt_strings_are_accepted_in_every_way)
{
	static const char *const lines[] = {
		"-o x", "-ox", "--output x", "--output=x", "--out x", "--out=x", "--ou=x", "-jo x", "-jqox", "-o y -o x",
	};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct run *r = parse_line(lines[i], 0);
		CHECK_I64(r->rc, 0);
		CHECK_STR(r->args.output, "x");
		CHECK_I64(r->n_operands, 0);
	}
	CHECK_STR(parse_line("--output=", 0)->args.output, "");
	CHECK_STR(parse_line("-o ''", 0)->args.output, "");
	CHECK_STR(parse_line("--output=a=b", 0)->args.output, "a=b");
	CHECK_STR(parse_line("--output --json", 0)->args.output, "--json");
	CHECK_STR(parse_line("-o -", 0)->args.output, "-");
}

TEST(opt_flags)
{
	struct run *r = parse_line("-jq --no-color", 0);
	CHECK_I64(r->rc, 0);
	CHECK(r->args.json && r->args.quiet && !r->args.color);
	r = parse_line("", 0);
	CHECK(!r->args.json && !r->args.quiet && r->args.color);
	CHECK(parse_line("--js", 0)->args.json);
}

TEST(opt_values)
{
	struct run *r = parse_line("-n 12 -m64M --every=1.5ms --ratio=-0.25", 0);
	CHECK_I64(r->rc, 0);
	CHECK_U64(r->args.n, 12);
	CHECK_U64(r->args.memory, 64 << 20);
	CHECK_U64(r->args.every, 1500000);
	CHECK_NEAR(r->args.ratio, -0.25, 0);
}

TEST(opt_lists_append)
{
	struct run *r = parse_line("--only=a x --only b y --only=c", 0);
	CHECK_I64(r->rc, 0);
	REQUIRE(r->args.only.n == 3);
	CHECK_STR(r->args.only.at[0], "a");
	CHECK_STR(r->args.only.at[1], "b");
	CHECK_STR(r->args.only.at[2], "c");
	CHECK_I64(r->n_operands, 2);
}

/* Operands behind argv[0], joined by blanks, and the NULL behind them. */
static const char *operands(struct run *r)
{
	static char text[1000];
	text[0] = '\0';
	for (int i = 1; i <= r->n_operands; i++)
		sprintf(text + strlen(text), "%s%s", i > 1 ? " " : "", r->argv[i]);
	CHECK(r->argv[r->n_operands + 1] == NULL);
	CHECK_STR(r->argv[0], "weft");
	return text;
}

TEST(opt_operands_mix_with_options)
{
	CHECK_STR(operands(parse_line("a -j b -o x c", 0)), "a b c");
	CHECK_STR(operands(parse_line("", 0)), "");
	CHECK_STR(operands(parse_line("- -j", 0)), "-");
	CHECK_STR(operands(parse_line("a -- -j --x", 0)), "a -j --x");
	CHECK_STR(operands(parse_line("-- -- a", 0)), "-- a");
	CHECK_STR(operands(parse_line("'' a", 0)), " a");
}

TEST(opt_stop_at_operand)
{
	struct run *r = parse_line("-j prog -q --unknown", WEFT_OPT_STOP_AT_OPERAND);
	CHECK_I64(r->rc, 0);
	CHECK(r->args.json && !r->args.quiet);
	CHECK_STR(operands(r), "prog -q --unknown");
	CHECK_STR(operands(parse_line("-- -j", WEFT_OPT_STOP_AT_OPERAND)), "-j");
	CHECK_STR(operands(parse_line("-j -- prog -- x", WEFT_OPT_STOP_AT_OPERAND)), "prog -- x");
}

TEST(opt_mistakes)
{
	static const char *const cases[][2] = {
		{"--jsn", "unknown option '--jsn' (did you mean '--json'?)"},
		{"--ouptut=x", "unknown option '--ouptut' (did you mean '--output'?)"},
		{"--completely-different", "unknown option '--completely-different'"},
		{"--jsonx=1", "unknown option '--jsonx' (did you mean '--json'?)"},
		{"--=x", "unknown option '--'"},
		{"---", "unknown option '---'"},
		{"-x", "unknown option '-x'"},
		{"-jx", "unknown option '-x'"},
		{"--o x", "option '--o' is ambiguous: '--output' or '--only'"},
		{"--json=1", "option '--json' takes no argument"},
		{"--json=", "option '--json' takes no argument"},
		{"-o", "option '-o' needs FILE"},
		{"a --output", "option '--output' needs FILE"},
		{"--out", "option '--output' needs FILE"},
		{"-n x", "option '-n': expected a whole number, found 'x'"},
		{"-n ''", "option '-n': expected a whole number, found ''"},
		{"-n -1", "option '-n': expected a whole number, found '-1'"},
		{"-n 18446744073709551616", "option '-n': '18446744073709551616' is out of range"},
		{"-m 64Q", "option '-m': expected a size like 64M, found '64Q'"},
		{"--memory-limit=99999E", "option '--memory-limit': '99999E' is out of range"},
		{"--every 1.5ns", "option '--every': expected a time like 10ms, found '1.5ns'"},
		{"--ratio=nan", "option '--ratio-of-something-with-a-long-name': expected a number, found 'nan'"},
		{"-\xc3\xa9", "unknown option '-\xc3'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run *r = parse_line(cases[i][0], 0);
		CHECK_I64(r->rc, WEFT_E_SYNTAX);
		CHECK_I64(r->err.code, WEFT_E_SYNTAX);
		CHECK_STR(r->err.text, cases[i][1]);
	}
}

TEST(opt_long_unknown_names_fit_the_message)
{
	char line[800] = "--";
	memset(line + 2, 'x', sizeof line - 3);
	struct run *r = parse_line(line, 0);
	CHECK_I64(r->rc, WEFT_E_SYNTAX);
	CHECK(strncmp(r->err.text, "unknown option '--xxx", 21) == 0);
}

TEST(opt_too_long_list)
{
	enum { N = WEFT_OPT_LIST_MAX + 1 };
	char *argv[N + 1];
	for (int given = N - 1; given <= N; given++) {
		struct args args = {0};
		struct weft_err err = {0};
		int n;
		argv[0] = "weft";
		for (int i = 1; i <= given; i++)
			argv[i] = "--only=x";
		int rc = weft_opt_parse(table, &args, given + 1, argv, 0, &n, &err);
		CHECK_I64(rc, given < N ? 0 : WEFT_E_SYNTAX);
		CHECK_STR(err.text, given < N ? "" : "option '--only': given more than 256 times");
		CHECK_U64(args.only.n, WEFT_OPT_LIST_MAX);
	}
}

TEST(opt_unknown_without_memory_still_is_an_error)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct run *r = parse_line("--jsn", 0);
		CHECK_I64(r->rc, WEFT_E_SYNTAX);
		CHECK(strncmp(r->err.text, "unknown option '--jsn'", 22) == 0);
	}
}

TEST(opt_help_is_aligned_and_wrapped)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	REQUIRE(to);
	weft_opt_help(table, to);
	fclose(to);
	CHECK_STR(text, "Output:\n"
	                "  -o, --output=FILE         write to FILE instead of stdout\n"
	                "  -j, --json                print JSON\n"
	                "  -q, --quiet               say nothing\n"
	                "      --no-color            no colours\n"
	                "\n"
	                "What to read:\n"
	                "      --only=GLOB           only what matches GLOB (may be given more than once)\n"
	                "  -n N                      the first N\n"
	                "  -m, --memory-limit=BYTES  use no more memory than BYTES and work out of core\n"
	                "                            beyond, which is slower but always gives the same\n"
	                "                            result\n"
	                "      --every=TIME          a sample each TIME\n"
	                "      --ratio-of-something-with-a-long-name=R\n"
	                "                            a ratio\n");
	free(text);
}
