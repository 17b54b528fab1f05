/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft top`: a program looked at while it runs. Commands first (--start, --set, --knob), then samples until the program ends, the
 * user has seen enough, or --count have come.
 */
#include "cli/common/cli.h"
#include "base/log.h"
#include "pulse/pulse.h"
#include "top.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	struct weft_opt_list set, knob;
	const char *on, *ssh, *export;
	double rate;
	uint64_t count;
	bool list, start, relay, once;
};

static const struct weft_opt options[] = {
	{0, "list", NULL, WEFT_OPT_FLAG, offsetof(struct args, list), "only list the programs that can be looked at"},
	{'r', "rate", "HZ", WEFT_OPT_DOUBLE, offsetof(struct args, rate), "samples a second (default: 2)"},
	{'n', "count", "N", WEFT_OPT_U64, offsetof(struct args, count), "end after N samples"},
	{'1', "once", NULL, WEFT_OPT_FLAG, offsetof(struct args, once), "as --count 1"},
	{0, "start", NULL, WEFT_OPT_FLAG, offsetof(struct args, start), "let a program go on that waits to be started"},
	{0, "set", "NAME=VALUE", WEFT_OPT_LIST, offsetof(struct args, set), "change a parameter of the program"},
	{0, "knob", "NAME=VALUE[@OF]", WEFT_OPT_LIST, offsetof(struct args, knob), "turn a knob (of worker or scheduler OF)"},
	{0, "on", "HOST", WEFT_OPT_STRING, offsetof(struct args, on), "a program on HOST, over ssh"},
	{0, "ssh", "COMMAND", WEFT_OPT_STRING, offsetof(struct args, ssh), "what --on starts instead of ssh"},
	{0, "export", "[ADDRESS:]PORT", WEFT_OPT_STRING, offsetof(struct args, export),
         "show nothing; serve Prometheus (127.0.0.1)"},
	{0, "relay", NULL, WEFT_OPT_FLAG, offsetof(struct args, relay), "pass the channel's lines on (what --on starts there)"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "no warnings"},
	CLI_TABLE_OPTIONS,
	{0},
};

/* ---- the list ---- */

static int list_programs(const struct args *a)
{
	static const struct weft_column columns[] = {{"pid", "pid", WEFT_CELL_I64},
	                                             {"program", "program", WEFT_CELL_TEXT},
	                                             {"kind", "kind", WEFT_CELL_TEXT}};
	struct pulse_peer *peers;
	struct weft_err err = {0};
	struct weft_table t;
	int n = weft_peer_list(&peers, &err), rc = 0;
	if (n < 0) {
		weft_log(WEFT_LOG_ERROR, "%s", err.text);
		return CLI_USAGE;
	}
	weft_table_init(&t, columns, 3);
	for (int i = 0; i < n && !rc; i++)
		rc = weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_I64, .i64 = peers[i].pid},
		                                             {WEFT_CELL_TEXT, .text = peers[i].program},
		                                             {WEFT_CELL_TEXT, .text = peers[i].kind}});
	free(peers);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &a->common);
}

/* ---- commands ---- */

/* The answer of the last command: true; samples that come meanwhile are left out. */
static int hear_done(struct weft_peer_way *w, struct top_screen *s)
{
	struct pollfd p = {.fd = w->from, .events = POLLIN};
	for (bool readable = false;; readable = poll(&p, 1, -1) > 0) {
		char *line;
		size_t n;
		int rc = weft_peer_line(w, readable, &line, &n);
		if (rc < 0)
			return rc;
		const struct pulse_value *v = rc ? top_screen_read(s, line, n) : NULL, *done = pulse_get(v, "done");
		if (!done)
			continue;
		if (!done->truth)
			weft_log(WEFT_LOG_ERROR, "%s", pulse_text(v, "error", "refused"));
		return done->truth ? 0 : 1;
	}
}

/* NAME=VALUE, and behind an @ whose it is. */
static int say_turn(struct weft_peer_way *w, const char *word, const char *text)
{
	const char *equals = strchr(text, '='), *at = equals ? strrchr(equals, '@') : NULL;
	if (!equals || strpbrk(text, " \n\r"))
		return -EINVAL;
	return weft_peer_say(w, "%s %.*s %.*s%s%s", word, (int)(equals - text), text,
	                     at ? (int)(at - equals - 1) : (int)strlen(equals + 1), equals + 1, at ? " " : "", at ? at + 1 : "");
}

/* 0, or the exit status. */
static int give_commands(struct weft_peer_way *w, struct top_screen *s, const struct args *a)
{
	int rc = 0;
	for (unsigned i = 0; i < a->set.n + a->knob.n + a->start && rc == 0; i++) {
		bool is_set = i < a->set.n, is_knob = !is_set && i < a->set.n + a->knob.n;
		const char *text = is_set ? a->set.at[i] : is_knob ? a->knob.at[i - a->set.n] : NULL;
		rc = text ? say_turn(w, is_set ? "set" : "knob", text) : weft_peer_say(w, "start");
		if (rc == -EINVAL) {
			weft_log(WEFT_LOG_ERROR, "'%s' is not NAME=VALUE", text);
			return CLI_USAGE;
		}
		rc = rc ? rc : hear_done(w, s);
	}
	if (rc < 0)
		weft_log(WEFT_LOG_ERROR, "the program has ended");
	return rc ? CLI_NO : CLI_OK;
}

/* ---- the terminal ---- */

static struct termios before;
static volatile sig_atomic_t has_enough;

static void top_enough(int signal_number)
{
	(void)signal_number;
	has_enough = 1;
}

static void terminal_begin(void)
{
	struct termios raw;
	struct sigaction on = {.sa_handler = top_enough};
	sigaction(SIGINT, &on, NULL);
	sigaction(SIGTERM, &on, NULL);
	tcgetattr(STDIN_FILENO, &before);
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
}

static void terminal_end(void)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void top_press(struct weft_peer_way *w, struct top_screen *s)
{
	char keys[16], command[200];
	ssize_t n = read(STDIN_FILENO, keys, sizeof keys);
	bool up = n >= 3 && !memcmp(keys, "\033[A", 3), down = n >= 3 && !memcmp(keys, "\033[B", 3);
	if (n <= 0 || keys[0] == 'q')
		has_enough = 1;
	else if (up || keys[0] == 'k')
		s->selected -= s->selected > 0;
	else if (down || keys[0] == 'j')
		s->selected++;
	else if (keys[0] == 's' && weft_peer_say(w, "start"))
		has_enough = 1;
	else if (strchr("+=-", keys[0]) && top_screen_turn(s, keys[0] == '-' ? -1 : 1, command, sizeof command) &&
	         weft_peer_say(w, "%s", command))
		has_enough = 1;
}

/* ---- samples ---- */

struct show {
	const struct args *a;
	struct weft_peer_way *way;
	struct top_screen screen;
	int listener; /* --export's, or -1 */
	bool has_keys;
	uint64_t seen;
};

static void show_line(struct show *sh, const char *line, size_t n)
{
	const struct pulse_value *v = top_screen_read(&sh->screen, line, n);
	if (v && pulse_get(v, "done")) {
		snprintf(sh->screen.message, sizeof sh->screen.message, "%s", pulse_text(v, "error", ""));
		return;
	}
	if (!v)
		return;
	if (sh->listener >= 0)
		; /* kept for who asks */
	else if (sh->a->common.json)
		printf("%s\n", line);
	else if (sh->a->common.csv)
		top_flat_csv(v, stdout);
	else
		top_screen_draw(&sh->screen, v, stdout);
	fflush(stdout);
	sh->screen.last = v;
	sh->screen.turn ^= 1;
	sh->seen++;
}

/* Until there is nothing more to show. 0, or what weft_peer_line has said. */
static int show_all(struct show *sh)
{
	bool readable = false;
	while (!has_enough && (!sh->a->count || sh->seen < sh->a->count)) {
		char *line;
		size_t n;
		int rc = weft_peer_line(sh->way, readable, &line, &n);
		if (rc < 0)
			return rc;
		readable = false;
		if (rc) {
			show_line(sh, line, n);
			continue;
		}
		if (ferror(stdout))
			return 0;
		struct pollfd p[3] = {{.fd = sh->way->from, .events = POLLIN},
		                      {.fd = sh->listener, .events = POLLIN},
		                      {.fd = sh->has_keys ? STDIN_FILENO : -1, .events = POLLIN}};
		if (poll(p, 3, -1) < 0)
			continue;
		readable = p[0].revents;
		if (p[1].revents)
			top_export_answer(sh->listener, sh->screen.last);
		if (p[2].revents)
			top_press(sh->way, &sh->screen);
	}
	return 0;
}

static int show_samples(struct weft_peer_way *w, struct top_screen *s, const struct args *a)
{
	struct weft_err err = {0};
	struct show sh = {.a = a, .way = w, .screen = *s, .listener = -1};
	bool for_people = !a->common.json && !a->common.csv && !a->export;
	if (a->export && (sh.listener = top_export_open(a->export, &err)) < 0) {
		weft_log(WEFT_LOG_ERROR, "%s", err.text);
		return CLI_USAGE;
	}
	sh.has_keys = for_people && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && a->count != 1;
	sh.screen.colors = sh.has_keys;
	int rc = weft_peer_say(w, "watch %g", a->rate);
	rc = rc ? rc : hear_done(w, &sh.screen);
	if (sh.has_keys && !rc)
		terminal_begin();
	rc = rc ? rc : show_all(&sh);
	if (sh.has_keys)
		terminal_end();
	if (sh.listener >= 0)
		close(sh.listener);
	*s = sh.screen;
	if (rc == -EPIPE && !sh.seen)
		weft_log(WEFT_LOG_ERROR, "the program has ended");
	else if (rc == -EPIPE && for_people)
		fprintf(stderr, "weft top: the program has ended\n");
	return rc == 0 || (rc == -EPIPE && sh.seen) ? CLI_OK : CLI_NO;
}

/* ---- the command ---- */

static int look_at(struct args *a, const char *who)
{
	struct weft_err err = {0};
	struct weft_peer_way way;
	struct top_screen screen = {.last = NULL};
	int rc = a->on ? weft_peer_open_remote(&way, a->ssh ? a->ssh : "ssh", a->on, who, &err) : weft_peer_open(&way, who, &err);
	if (rc) {
		weft_log(WEFT_LOG_ERROR, "%s", err.text);
		return rc == -ESRCH ? CLI_NO : CLI_USAGE;
	}
	bool only_commands = (a->set.n || a->knob.n || a->start) && !a->count && !a->common.json && !a->common.csv && !a->export;
	int status = a->relay ? weft_peer_relay(&way) : give_commands(&way, &screen, a);
	if (!status && !a->relay && !only_commands)
		status = show_samples(&way, &screen, a);
	top_screen_fini(&screen);
	weft_peer_close(&way);
	return status;
}

static int top_run(int argc, char **argv)
{
	struct args a = {.rate = 2};
	int n;
	if (!cli_parse(&weft_command_top, &a, argc, argv, &n) || !cli_operands(&weft_command_top, argv, n, 0, 1))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!(a.rate > 0 && a.rate <= PULSE_HZ_MOST))
		return cli_usage(&weft_command_top, "--rate is more than 0 and at most %d", PULSE_HZ_MOST);
	if (a.common.json && a.common.csv)
		return cli_usage(&weft_command_top, "--json or --csv, not both");
	if (a.once)
		a.count = 1;
	return a.list ? list_programs(&a) : look_at(&a, n ? argv[1] : NULL);
}

int cli_starpu_top(int argc, char **argv)
{
	return top_run(argc, argv);
}

const struct weft_command weft_command_top = {
	.name = "top",
	.operands = "[PID|PROGRAM]",
	.summary = "look at a program while it runs, and turn its knobs",
	.about = "Shows a running program that records (its threads, regions, messages), or one of\n"
		 "Weft's runtime (any program with StarPU's interface):\n"
		 "what its workers do, how many tasks are submitted, ready and executed, codelets by\n"
		 "time, memory, values that it shows by starpu_top_*, and knobs and parameters, which\n"
		 "can be turned: arrows choose, + and - turn, s starts a program that waits, q ends.\n"
		 "Nothing is measured in the program while nobody looks. Only its user can.\n"
		 "\n"
		 "Examples:\n"
		 "    weft top\n"
		 "    weft top --list\n"
		 "    weft top 4711 --rate 10 --csv\n"
		 "    weft top cholesky --json --count 5\n"
		 "    weft top --knob starpu.worker.w_enable_worker_knob=0@1 cholesky\n"
		 "    weft top --on node7 cholesky\n"
		 "    weft top --export 9100",
	.options = options,
	.run = top_run,
};
