/* SPDX-License-Identifier: Apache-2.0 */
/* What bench_main prints for variants whose figures are known. */
#include "bench.h"
#include "harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A variant that gives its figures in turn; the first is the round that warms up. */
struct script {
	const double *figure;
	unsigned next;
};
static char order[64]; /* which variants ran */

static double play(struct script *s, char letter)
{
	size_t n = strlen(order);
	if (n + 1 < sizeof order)
		order[n] = letter;
	return s->figure[s->next++];
}

static double play_a(void *arg)
{
	return play(arg, 'a');
}

static double play_b(void *arg)
{
	return play(arg, 'b');
}

static double play_skip(void *arg)
{
	(void)arg;
	return bench_skip("not installed");
}

/* Runs bench_main with these arguments; what it printed on stdout. */
static char *capture(const struct bench *table, int *status, int argc, const char *const *argv)
{
	char path[4096], *copies[8], **arguments = copies;
	for (int i = 0; i < argc; i++)
		copies[i] = (char *)(uintptr_t)argv[i];
	snprintf(path, sizeof path, "%s/out", test_dir());
	fflush(stdout);
	int stdout_fd = dup(1), to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dup2(to, 1);
	*status = bench_main(argc, arguments, table);
	fflush(stdout);
	dup2(stdout_fd, 1);
	close(stdout_fd);
	close(to);
	int cat_status;
	return test_shell(&cat_status, "cat '%s'", path);
}

static const double a_figures[] = {1000, 10, 30, 20}, b_figures[] = {1, 20, 40, 80};

TEST(medians_ratios_and_skips_are_printed)
{
	struct script a = {a_figures, 0}, b = {b_figures, 0};
	const struct bench_variant variants[] = {{"ours", play_a, &a}, {"peer", play_b, &b}, {"other", play_skip, NULL}, {0}};
	const struct bench table[] = {{"copy", "ns", 3, variants}, {0}};
	int status;
	memset(order, 0, sizeof order);
	char *text = capture(table, &status, 1, (const char *[]){"bench"});
	CHECK_I64(status, 0);
	/* Ratios of the rounds: 0.5, 0.75, 0.25. */
	CHECK_STR(text, "bench copy ours 20 ns median 10 30\nbench copy peer 40 ns median 20 80\nskip copy other not installed\n"
	                "ratio copy ours/peer 0.5\n");
	CHECK_STR(order, "abbaabab");
	free(text);
}

TEST(even_rounds_take_the_middle_of_two)
{
	struct script a = {a_figures, 0};
	const struct bench_variant variants[] = {{"ours", play_a, &a}, {0}};
	const struct bench table[] = {{"copy", "ns", 9, variants}, {0}};
	int status;
	char *text = capture(table, &status, 3, (const char *[]){"bench", "--rounds", "2"});
	CHECK_STR(text, "bench copy ours 20 ns median 10 30\n");
	free(text);
}

TEST(names_select_and_are_listed)
{
	struct script a = {a_figures, 0};
	const struct bench_variant variants[] = {{"ours", play_a, &a}, {0}};
	const struct bench table[] = {{"copy", "ns", 1, variants}, {"move", "ns", 1, variants}, {0}};
	int status;
	char *text = capture(table, &status, 2, (const char *[]){"bench", "--list"});
	CHECK_STR(text, "copy\nmove\n");
	free(text);
	text = capture(table, &status, 2, (const char *[]){"bench", "m*"});
	CHECK_STR(text, "bench move ours 10 ns median 10 10\n");
	free(text);
}

TEST(nothing_measured_and_bad_usage_have_a_status)
{
	const struct bench_variant variants[] = {{"ours", play_skip, NULL}, {0}};
	const struct bench table[] = {{"copy", "ns", 1, variants}, {0}};
	int status;
	free(capture(table, &status, 1, (const char *[]){"bench"}));
	CHECK_I64(status, 1);
	free(capture(table, &status, 3, (const char *[]){"bench", "--rounds", "0"}));
	CHECK_I64(status, 2);
	free(capture(table, &status, 2, (const char *[]){"bench", "--no"}));
	CHECK_I64(status, 2);
}

TEST(commands_are_timed)
{
	double seconds = bench_command("sleep 0.0%d", 2);
	CHECK(seconds >= 0.02 && seconds < 60);
	CHECK(bench_command_rss_bytes() > 0);
	CHECK(bench_command("echo x; exit 3") < 0);
	CHECK(bench_command("%9000d", 1) < 0);
}

TEST(clock_goes_forward)
{
	uint64_t from = bench_now_ns();
	usleep(1000);
	CHECK(bench_now_ns() - from >= 1000000);
}
