/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands have in common: reading options, opening a trace with its filter, talking to the user. */
#include "trace/open.h"
#include "cli.h"
#include "base/log.h"
#include "trace/paraver/prv_names.h"
#include "trace/write/export.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROBLEMS_SHOWN = 3 };

void cli_talk(const struct cli_common *c, const char *argv0)
{
	weft_log_set(c->quiet ? WEFT_LOG_ERROR : c->verbose ? WEFT_LOG_INFO : WEFT_LOG_WARN, argv0);
}

int cli_usage(const struct weft_command *cmd, const char *fmt, ...)
{
	char text[600];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	weft_log(WEFT_LOG_ERROR, "%s", text);
	fprintf(stderr, "Try 'weft %s --help'.\n", cmd->name);
	return CLI_USAGE;
}

int cli_unknown(const struct weft_command *cmd, const char *what, const char *name, const char *const *known, size_t n_known)
{
	const char *nearest = weft_nearest(name, known, n_known);
	if (nearest)
		return cli_usage(cmd, "%s '%s' (did you mean '%s'?)", what, name, nearest);
	struct weft_buf all = {0};
	for (size_t i = 0; i < n_known; i++)
		weft_buf_printf(&all, "%s%s", i ? ", " : "", known[i]);
	cli_usage(cmd, "%s '%s' (it can be: %s)", what, name, all.failed ? "..." : all.at);
	weft_buf_fini(&all);
	return CLI_USAGE;
}

int cli_bits(const struct weft_command *cmd, const char *what, const char *list, const char *const *known, unsigned n_known,
             unsigned *bits)
{
	struct weft_str rest = weft_str(list), part;
	for (*bits = 0; weft_str_cut(&rest, ',', &part);) {
		char typed[64];
		unsigned i = 0;
		while (i < n_known && !weft_str_eq(part, known[i]))
			i++;
		snprintf(typed, sizeof typed, "%.*s", (int)(part.n < 60 ? part.n : 60), part.at);
		if (i < n_known)
			*bits |= 1u << i;
		else if (weft_str_eq(part, "all"))
			*bits |= (uint32_t)((UINT64_C(1) << n_known) - 1);
		else if (!weft_str_eq(part, "none"))
			return cli_unknown(cmd, what, typed, known, n_known);
	}
	return CLI_OK;
}

bool cli_parse(const struct weft_command *cmd, void *into, int argc, char **argv, int *n_operands)
{
	struct weft_err err = {0};
	if (!weft_opt_parse(cmd->options, into, argc, argv, cmd->option_flags, n_operands, &err))
		return true;
	cli_usage(cmd, "%s", err.text);
	return false;
}

bool cli_operands(const struct weft_command *cmd, char **argv, int n, int least, int most)
{
	if (n < least)
		cli_usage(cmd, "expected %s", cmd->operands);
	else if (most >= 0 && n > most)
		cli_usage(cmd, "unexpected '%s'", argv[most + 1]);
	return n >= least && (most < 0 || n <= most);
}

static bool has_ending(const char *name, const char *known)
{
	const char *dot = strrchr(name, '.');
	if (!dot || dot == name || !isalpha((unsigned char)dot[1]))
		return true;
	struct weft_str rest = weft_str(known), one;
	size_t n = strlen(name);
	while (weft_str_cut(&rest, ' ', &one))
		if (n >= one.n && memcmp(name + n - one.n, one.at, one.n) == 0)
			return true;
	return false;
}

int cli_check_ending(const struct weft_command *cmd, const char *output, const char *known, const char *instead)
{
	size_t n = strlen(output);
	while (n > 1 && output[n - 1] == '/')
		n--;
	const char *slash = memrchr(output, '/', n);
	char name[256];
	snprintf(name, sizeof name, "%.*s", (int)(output + n - (slash ? slash + 1 : output)), slash ? slash + 1 : output);
	if (has_ending(name, known))
		return CLI_OK;
	return cli_usage(cmd, "cannot tell the format from the name '%s': known endings are %s%s%s", output, known,
	                 instead ? "; or say it with " : "", instead ? instead : "");
}

static int check_trace(const struct weft_command *cmd, const char *output, const char *known)
{
	const struct weft_exporter *e = weft_exporter_find(NULL, output);
	if (!e || e->write == weft_export_weft)
		return cli_check_ending(cmd, output, known, NULL);
	return cli_usage(cmd, "'%s' would be a folder of streams: call it NAME.weft ('weft convert' writes %s)", output, e->name);
}

int cli_check_folder(const struct weft_command *cmd, const char *output)
{
	return check_trace(cmd, output, ".weft");
}

int cli_begin_writing(const struct weft_command *cmd, void *into, const struct cli_common *common, const char *const *output,
                      int argc, char **argv)
{
	int n;
	if (!cli_parse(cmd, into, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(common, argv[0]);
	if (!cli_operands(cmd, argv, n, 1, 1))
		return CLI_USAGE;
	if (!*output)
		return cli_usage(cmd, "say where to write, with -o OUT");
	const struct weft_exporter *e = weft_exporter_find(NULL, *output);
	return e && e->write == weft_export_prv ? CLI_OK : check_trace(cmd, *output, ".weft .prv .prv.gz .prv.zst");
}

int cli_fail(const struct weft_err *err)
{
	weft_log(WEFT_LOG_ERROR, "%s", err->text[0] ? err->text : weft_err_name(err->code));
	return CLI_USAGE;
}

int cli_write_whole(const char *path, const struct weft_buf *text)
{
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

int cli_fail_text(const char *fmt, ...)
{
	struct weft_err err = {0};
	va_list args;
	va_start(args, fmt);
	vsnprintf(err.text, sizeof err.text, fmt, args);
	va_end(args);
	return cli_fail(&err);
}

int cli_fail_code(int code)
{
	struct weft_err err = {.code = code};
	return cli_fail(&err);
}

enum weft_table_form cli_form(const struct cli_common *c)
{
	return c->json ? WEFT_TABLE_JSON : c->csv ? WEFT_TABLE_CSV : WEFT_TABLE_TEXT;
}

int cli_table(struct weft_table *t, const struct cli_common *c)
{
	int rc = weft_table_print(t, cli_form(c), stdout);
	weft_table_fini(t);
	return rc && !ferror(stdout) ? cli_fail_code(rc) : CLI_OK;
}

int cli_finish(int status)
{
	bool failed = fflush(stdout) != 0 || ferror(stdout);
	if (!failed || status == CLI_USAGE) /* then it has been said */
		return status;
	weft_log(WEFT_LOG_ERROR, "cannot write to stdout: %s", weft_err_name(-(errno ? errno : EIO)));
	return CLI_USAGE;
}

struct weft_open_how cli_open_how(const struct cli_common *c)
{
	return (struct weft_open_how){
		.memory = c->memory,
		.threads = (unsigned)(c->threads < 4096 ? c->threads : 4096),
		.rebuild = c->rebuild,
		.progress = !c->quiet,
	};
}

static void warn_of_problems(const struct weft_trace *t)
{
	uint64_t kept = t->n_problems < 1000 ? t->n_problems : 1000;
	for (uint64_t i = 0; i < kept && i < PROBLEMS_SHOWN; i++) {
		const struct weft_problem *p = &t->problem[i];
		if (p->line)
			weft_log(WEFT_LOG_WARN, "%s:%" PRIu64 ": %s", p->file, p->line, p->text);
		else
			weft_log(WEFT_LOG_WARN, "%s: %s", p->file, p->text);
	}
	if (t->n_problems > PROBLEMS_SHOWN)
		weft_log(WEFT_LOG_WARN, "and %" PRIu64 " problems more (see 'weft check %s')", t->n_problems - PROBLEMS_SHOWN,
		         t->path);
	if (t->dropped)
		weft_log(WEFT_LOG_WARN, "%" PRIu64 " events were dropped while recording", t->dropped);
}

void cli_say_no_labels(const struct weft_trace *t)
{
	struct stat st;
	size_t n = strlen(t->path);
	if (strcmp(t->format, "prv") != 0 || stat(t->path, &st) || !S_ISREG(st.st_mode))
		return;
	char *pcf = prv_beside(t->path, ".pcf");
	if (pcf && strlen(pcf) <= n && access(pcf, F_OK) != 0)
		weft_log(WEFT_LOG_WARN, "'%s' is not there: states, types and values have numbers for names", pcf);
	free(pcf);
}

void cli_say_large(const struct cli_common *c, const struct weft_trace *t, const struct weft_need *n)
{
	struct weft_buf command = {0};
	uint64_t bytes;
	char have[32], may[32];
	uint64_t memory = weft_open_memory(&(struct weft_open_how){.memory = c->memory});
	if (!weft_trace_is_large(t, memory, &bytes))
		return;
	weft_log(WEFT_LOG_WARN, "'%s' has %s, more than the memory limit of %s: it is read in parts, each time anew", t->path,
	         weft_human_bytes(have, bytes), weft_human_bytes(may, memory));
	if (weft_need_command(n, t, &command) == 0)
		weft_log(WEFT_LOG_WARN, "what is needed fits a smaller trace: %s", command.at);
	weft_buf_fini(&command);
}

int cli_check_input(const char *path)
{
	struct stat st;
	struct weft_err err = {0};
	if (stat(path, &st))
		weft_err_sys(&err, errno, "cannot open '%s'", path);
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		weft_err_set(&err, -EINVAL, "cannot open '%s': neither a file nor a folder", path);
	return err.code ? cli_fail(&err) : CLI_OK;
}

int cli_open(const struct cli_common *c, const char *path, struct weft_trace **t, struct weft_filter **f)
{
	struct weft_err err = {0};
	struct weft_open_how how = cli_open_how(c);
	struct weft_filter *filter = NULL;
	*t = NULL;
	if (f)
		*f = NULL;
	if (c->filter && f && weft_filter_new(&filter, c->filter, &err))
		return cli_fail(&err);
	if (weft_trace_open(t, path, &how, &err)) {
		weft_filter_free(filter);
		return cli_fail(&err);
	}
	warn_of_problems(*t);
	if (filter && weft_filter_bind(filter, *t, &err)) {
		weft_filter_free(filter);
		weft_trace_close(*t);
		*t = NULL;
		return cli_fail(&err);
	}
	char lacks[256];
	if (filter && weft_filter_lacks(filter, lacks, sizeof lacks))
		weft_log(WEFT_LOG_WARN, "filter: %s", lacks);
	if (f)
		*f = filter;
	return 0;
}

int cli_find_own(const char *const *relative, unsigned n, char *out, size_t room)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length <= 0)
		return -ENOENT;
	self[length] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (unsigned i = 0; i < n; i++)
		if (snprintf(out, room, "%s/%s", self, relative[i]) < (int)room && access(out, R_OK) == 0)
			return 0;
	return -ENOENT;
}
