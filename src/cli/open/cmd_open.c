/* SPDX-License-Identifier: Apache-2.0 */
/* `weft open`: pages over traces, in a browser. */
#include "base/log.h"
#include "base/str.h"
#include "cli/common/cli.h"
#include "metric/library/library.h"
#include "open_browser.h"
#include "open_page.h"
#include "peer/peer.h"
#include "saved/server_export.h"
#include "server/core/server.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *listen, *cert, *key;
	uint64_t port;
	bool control, no_browser, learn;
};

static const struct weft_opt options[] = {
	{0, "port", "N", WEFT_OPT_U64, offsetof(struct args, port), "serve at this port (default: any that is free)"},
	{0, "control", NULL, WEFT_OPT_FLAG, offsetof(struct args, control),
         "let the page change the running program: knobs, tuning, breaks (default: it only looks)"},
	{0, "listen", "ADDRESS", WEFT_OPT_STRING, offsetof(struct args, listen),
         "serve at this address of the machine, for others, too (default: 127.0.0.1, for this machine alone)"},
	{0, "cert", "FILE", WEFT_OPT_STRING, offsetof(struct args, cert), "with --key: serve by TLS with this certificate (PEM)"},
	{0, "key", "FILE", WEFT_OPT_STRING, offsetof(struct args, key), "the certificate's key (PEM)"},
	{0, "learn", NULL, WEFT_OPT_FLAG, offsetof(struct args, learn), "open the tutorials, with their traces"},
	{0, "no-browser", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_browser), "only print the address"},
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static const struct server_library library = {weft_views_each, weft_view_text_named};

/* ---- what the operands are ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

static int add_view(struct server_session *s, const char *path, char *name)
{
	struct weft_err err = {0};
	char *text;
	size_t n;
	const char *slash = strrchr(path, '/');
	int rc = weft_view_text(path, &text, &n, &err);
	if (!rc)
		rc = server_view_add(s, slash ? slash + 1 : path, text, n, name, &err);
	free(text);
	return rc ? cli_fail(&err) : CLI_OK;
}

/* A program that runs: by its process id or name; or the one that records into this folder, beside its trace. */
static int add_live(struct server_session *s, const char *who, struct weft_err *err)
{
	if (s->n_lives == SERVER_LIVES_MOST)
		return weft_err_set(err, -E2BIG, "at most %u programs can be looked at together", SERVER_LIVES_MOST);
	int rc = server_live_open(&s->live[s->n_lives], who, false, err);
	s->n_lives += !rc;
	return rc;
}

/* What is no file, or a file of a program, may be one that runs. *done: it is. */
static int add_program(struct server_session *s, const char *operand, bool *done)
{
	struct weft_err err = {0};
	struct stat st;
	bool there = stat(operand, &st) == 0;
	*done = false;
	if (there && S_ISDIR(st.st_mode) && weft_peer_of_folder(operand))
		return add_live(s, operand, &err) ? cli_fail(&err) : CLI_OK;
	bool runs = there && S_ISREG(st.st_mode) && st.st_mode & S_IXUSR; /* "./solver": the one that runs */
	const char *slash = strrchr(operand, '/');
	if (!runs && (there || slash))
		return CLI_OK;
	int rc = add_live(s, runs && slash ? slash + 1 : operand, &err);
	*done = !rc;
	if (rc && rc != -ESRCH)
		return cli_fail(&err);
	return CLI_OK;
}

/* Its traces are opened, and it is what a page begins with. *done: it is no view of metrics, but a page's. */
static int add_page(struct server_session *s, const char *path, struct open_page *page, bool *done)
{
	struct weft_err err = {0};
	struct open_page other;
	if (open_page_read(&other, path, &err))
		return cli_fail(&err);
	*done = other.text;
	int rc = 0;
	for (size_t i = 0; i < other.trace.n && !rc; i++)
		rc = server_session_add(s, other.trace.at[i], &err);
	if (*done && !page->text)
		*page = other;
	else
		open_page_fini(&other);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int add_learn(struct server_session *s)
{
	struct weft_err err = {0};
	struct open_page page;
	int rc = open_page_learn(&page, &err);
	for (size_t i = 0; i < page.trace.n && !rc; i++)
		rc = server_session_add(s, page.trace.at[i], &err);
	open_page_fini(&page);
	s->learn = true;
	return rc ? cli_fail(&err) : CLI_OK;
}

static int add_operands(struct server_session *s, char **operand, int n, char *first_view, struct open_page *page)
{
	struct weft_err err = {0};
	for (int i = 0; i < n; i++) {
		int status = CLI_OK;
		if (ends_with(operand[i], ".cfg") || ends_with(operand[i], ".view")) {
			char name[16] = "";
			bool is_page = false;
			status = ends_with(operand[i], ".view") ? add_page(s, operand[i], page, &is_page) : CLI_OK;
			if (!status && is_page)
				continue;
			status = status ? status : add_view(s, operand[i], name);
			if (!status && !*first_view)
				memcpy(first_view, name, sizeof name);
		} else {
			bool done;
			status = add_program(s, operand[i], &done);
			if (!status && done)
				continue;
			status = status ? status : cli_check_input(operand[i]);
			if (!status && server_session_add(s, operand[i], &err))
				status = cli_fail(&err);
		}
		if (status)
			return status;
	}
	return CLI_OK;
}

/* ---- where it listens ---- */

static bool is_loopback(const char *address)
{
	return !address || !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* Who may change a program must not be anybody who can hear the network. */
static int check_listen(const struct args *a)
{
	if (!a->cert != !a->key)
		return cli_usage(&weft_command_open, "options '--cert' and '--key' belong together");
	if (a->port > UINT16_MAX)
		return cli_usage(&weft_command_open, "option '--port': expected 0 to 65535, found '%llu'",
		                 (unsigned long long)a->port);
	if (is_loopback(a->listen))
		return CLI_OK;
	if (a->control && !a->cert)
		return cli_usage(
			&weft_command_open,
			"options '--listen' and '--control' together want TLS (--cert and --key), or an ssh tunnel in place of --listen");
	weft_log(WEFT_LOG_WARN, "whoever has the address can see the traces%s",
	         a->cert ? "" : ", and who hears the network has it");
	return CLI_OK;
}

/* ---- serving ---- */

static void say_address(const struct args *a, const struct server_http *http, char *file)
{
	char address[200], line[300];
	const char *host = a->listen ? a->listen : "127.0.0.1";
	bool six = strchr(host, ':');
	snprintf(address, sizeof address, "http%s://%s%s%s:%u/%s/", a->cert ? "s" : "", six ? "[" : "", host, six ? "]" : "",
	         server_http_port(http), server_http_token(http));
	bool opened = !a->no_browser && open_browser(address, file);
	printf("%s\n", address);
	fflush(stdout);
	if (opened)
		weft_log(WEFT_LOG_INFO, "the browser has been asked to open it; Ctrl-C ends");
	else if (open_ssh_line(line, sizeof line, server_http_port(http)))
		fprintf(stderr,
		        "On your own machine, run the line below, then open the address above there; Ctrl-C here ends.\n    %s\n",
		        line);
	else if (isatty(STDERR_FILENO))
		fprintf(stderr, "Open the address in a browser; Ctrl-C ends.\n");
}

/* How many could not be read; -1: some are still being read. Says each failure once. */
static int count_failed(struct server_session *s, bool *said)
{
	int failed = 0;
	bool all = true;
	for (uint32_t i = 0; i < s->n_traces; i++) {
		uint32_t state = weft_load_u32(&s->trace[i].state);
		if (state == SERVER_FAILED && !said[i])
			cli_fail(&s->trace[i].err);
		said[i] |= state == SERVER_FAILED;
		failed += state == SERVER_FAILED;
		all &= state == SERVER_FAILED || state == SERVER_READY;
	}
	return all ? failed : -1;
}

/* Until a signal comes, or there turns out to be nothing to show. */
static int wait_for_end(struct server_session *s, const sigset_t *ends)
{
	bool said[SERVER_TRACES_MOST] = {false};
	const struct timespec soon = {0, 100000000};
	int failed;
	while ((failed = count_failed(s, said)) < 0)
		if (sigtimedwait(ends, NULL, &soon) > 0)
			return CLI_OK;
	if (s->n_traces && failed == (int)s->n_traces)
		return CLI_USAGE;
	while (sigwaitinfo(ends, NULL) < 0)
		;
	return CLI_OK;
}

static int serve(const struct args *a, struct server_session *s, const sigset_t *ends)
{
	struct weft_err err = {0};
	struct server_http *http = NULL;
	char *cert = NULL, *key = NULL, file[4096] = "";
	size_t n;
	struct server_http_how how = {.session = s, .address = a->listen, .port = (uint16_t)a->port};
	int status = CLI_OK;
	if ((a->cert && weft_read_file(a->cert, &cert, &n, &err)) || (a->key && weft_read_file(a->key, &key, &n, &err)))
		status = cli_fail(&err);
	how.cert = cert;
	how.key = key;
	if (!status && (server_http_open(&http, &how, &err) || server_session_begin(s, &err)))
		status = cli_fail(&err);
	if (!status) {
		say_address(a, http, file);
		status = wait_for_end(s, ends);
	}
	server_http_close(http);
	if (*file)
		unlink(file);
	free(cert);
	free(key);
	return status;
}

static int open_run(int argc, char **argv)
{
	struct args a = {0};
	int n;
	char first_view[16] = "";
	struct open_page page = {.text = NULL};
	sigset_t ends;
	if (!cli_parse(&weft_command_open, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_open, argv, n, a.learn ? 0 : 1, -1) || check_listen(&a))
		return CLI_USAGE;
	/* All threads that are made from here on leave these to the first one. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	struct server_session *s = calloc(1, sizeof *s);
	if (!s || server_session_init(s)) {
		free(s);
		return cli_fail_code(-ENOMEM);
	}
	s->version = WEFT_VERSION;
	s->control = a.control;
	s->library = &library;
	s->memory = a.common.memory;
	s->threads = a.common.threads < 4096 ? (unsigned)a.common.threads : 4096;
	s->own_threads = a.common.own_threads;
	int status = a.learn ? add_learn(s) : CLI_OK;
	if (!status)
		status = add_operands(s, argv + 1, n, first_view, &page);
	s->page = page.text;
	s->save_page = server_export_answer;
	s->first_view = *first_view ? first_view : NULL;
	if (!status && !s->n_traces && !s->n_lives)
		status = cli_usage(&weft_command_open, "say which trace to open");
	if (!status)
		status = serve(&a, s, &ends);
	server_session_fini(s);
	free(s);
	open_page_fini(&page);
	return cli_finish(status);
}

const struct weft_command weft_command_open = {
	.name = "open",
	.operands = "TRACE|PROGRAM... [VIEW...]",
	.summary = "look at traces in a browser",
	.about =
		"Serves pages over the traces on this machine, opens the browser when there is one, and prints the address. Files\n"
		"that end with .cfg or .view are views to begin with; a .view that a page has saved opens its traces as they were seen. A PROGRAM that runs (its process id, its name, or the folder that\n"
		"it records into) is looked at live, as weft-top(1) does. It ends at Ctrl-C. Nothing leaves the machine.\n"
		"\n"
		"    weft open run.weft\n"
		"    weft open before.prv after.prv useful.cfg\n"
		"    weft open --control --no-browser running.weft",
	.options = options,
	.run = open_run,
};
