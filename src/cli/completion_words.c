/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the word that is being typed may be, by the words before it:
 *
 *     none                        a command
 *     an option with an argument  its values; so behind "--name="
 *     what begins with -          the command's options
 *     else                        operands, counted as the command would; behind those of record and tune another program's
 */
#include "completion.h"
#include <string.h>

static const char *const rest_names[] = {NULL, ":files", ":folders", ":commands"};

void completion_offer(struct completion *c, const char *word, const char *about)
{
	size_t n = strlen(word);
	if (n < c->typed.n || (c->typed.n && memcmp(word, c->typed.at, c->typed.n) != 0))
		return;
	fprintf(c->to, "%.*s%s", (int)c->kept.n, c->kept.n ? c->kept.at : "", word);
	if (about && *about)
		fprintf(c->to, "\t%s", about);
	fputc('\n', c->to);
}

void completion_offer_all(struct completion *c, const char *words)
{
	struct weft_str rest = weft_str(words), part;
	char word[80];
	while (weft_str_cut(&rest, ' ', &part)) {
		snprintf(word, sizeof word, "%.*s", (int)part.n, part.at);
		completion_offer(c, word, NULL);
	}
}

/* ---- options ---- */

static const struct weft_opt *by_letter(const struct weft_opt *o, char letter)
{
	for (; o->kind; o++)
		if (o->kind != WEFT_OPT_GROUP && o->letter == letter)
			return o;
	return NULL;
}

static const struct weft_opt *by_name(const struct weft_opt *o, struct weft_str name)
{
	for (; o->kind; o++)
		if (o->kind != WEFT_OPT_GROUP && o->name && weft_str_eq(name, o->name))
			return o;
	return NULL;
}

/* The option whose argument is the next word, after `word`; NULL: none is. */
static const struct weft_opt *waits_for_argument(const struct weft_command *c, const char *word)
{
	if (word[0] != '-' || !word[1])
		return NULL;
	const struct weft_opt *o = NULL;
	if (word[1] == '-')
		return (o = by_name(c->options, weft_str(word + 2))) && o->arg ? o : NULL;
	for (const char *at = word + 1; *at; at++) {
		o = by_letter(c->options, *at);
		if (!o)
			return NULL;
		if (o->arg)
			return at[1] ? NULL : o;
	}
	return NULL;
}

static void offer_options(struct completion *c, const struct weft_command *cmd)
{
	char text[80];
	for (const struct weft_opt *o = cmd->options; o->kind; o++) {
		if (o->kind == WEFT_OPT_GROUP)
			continue;
		if (o->letter) {
			snprintf(text, sizeof text, "-%c", o->letter);
			completion_offer(c, text, o->help);
		}
		if (o->name) {
			snprintf(text, sizeof text, "--%s", o->name);
			completion_offer(c, text, o->help);
		}
	}
	completion_offer(c, "--help", "print this help");
}

/* ---- words ---- */

static void offer_commands(struct completion *c)
{
	const struct weft_command *cmd;
	completion_offer(c, "help", "explain a command");
	for (unsigned i = 0; (cmd = cli_command(i)); i++)
		completion_offer(c, cmd->name, cmd->summary);
}

static const struct weft_command *find_command(const char *name)
{
	const struct weft_command *cmd;
	for (unsigned i = 0; (cmd = cli_command(i)); i++)
		if (strcmp(cmd->name, name) == 0)
			return cmd;
	return NULL;
}

/* What stands before the word that is typed. */
struct before {
	const struct weft_opt *wants; /* the option that waits for its argument */
	unsigned operands;
	const char *first; /* of them */
	bool ended;        /* no option can follow */
};

static struct before look_back(const struct weft_command *cmd, char **word, int n)
{
	struct before b = {.wants = NULL};
	for (int i = 0; i < n; i++) {
		const char *w = word[i];
		if (b.wants) {
			b.wants = NULL;
		} else if (!b.ended && strcmp(w, "--") == 0) {
			b.ended = true;
		} else if (b.ended || w[0] != '-' || !w[1]) {
			b.first = b.operands++ ? b.first : w;
			b.ended = b.ended || (cmd->option_flags & WEFT_OPT_STOP_AT_OPERAND);
		} else {
			b.wants = waits_for_argument(cmd, w);
		}
	}
	return b;
}

/* "--by=th": the option, and what is typed of its value. */
static const struct weft_opt *joined_option(const struct weft_command *cmd, struct completion *c)
{
	struct weft_str rest = c->typed, name;
	if (rest.n < 3 || rest.at[0] != '-' || rest.at[1] != '-' || !memchr(rest.at, '=', rest.n))
		return NULL;
	rest = weft_str_n(rest.at + 2, rest.n - 2);
	weft_str_cut(&rest, '=', &name);
	const struct weft_opt *o = by_name(cmd->options, name);
	if (!o || !o->arg)
		return NULL;
	c->kept = weft_str_n(c->typed.at, c->typed.n - rest.n);
	c->typed = rest;
	return o;
}

static enum completion_rest complete(struct completion *c, const struct weft_command *cmd, char **word, int n)
{
	struct before b = look_back(cmd, word, n);
	const struct weft_opt *o = b.wants ? b.wants : b.ended ? NULL : joined_option(cmd, c);
	if (o)
		return completion_values(c, cmd->name, o);
	if (!b.ended && c->typed.n && c->typed.at[0] == '-') {
		offer_options(c, cmd);
		return REST_NOTHING;
	}
	return completion_operands(c, cmd->name, b.operands, b.first);
}

void completion_print(char **word, int n, FILE *to)
{
	struct completion c = {.typed = weft_str(n ? word[n - 1] : ""), .kept = weft_str(""), .to = to};
	enum completion_rest rest = REST_NOTHING;
	if (n <= 1) {
		offer_commands(&c);
		if (c.typed.n)
			completion_offer_all(&c, "--help --version");
	} else if (strcmp(word[0], "help") == 0) {
		if (n == 2)
			offer_commands(&c);
	} else {
		const struct weft_command *cmd = find_command(word[0]);
		rest = cmd ? complete(&c, cmd, word + 1, n - 2) : REST_FILES;
	}
	if (rest_names[rest])
		fprintf(to, "%s\n", rest_names[rest]);
}
