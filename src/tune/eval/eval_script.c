/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events from a text, to try a tunlet without a program. A line each:
 *
 *     start ACTOR ID [HOST]     a process begins
 *     end ACTOR ID              it ends
 *     lost ID COUNT             events of it were lost
 *     TIME EVENT ID [NAME=VALUE]...
 *     # a comment
 */
#include "eval.h"
#include "tune/lang/spec_model.h"
#include "base/fs.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 80 };

struct script {
	struct weft_eval *e;
	struct weft_spec *s;
	const char *path;
	unsigned line;
	struct weft_err *err;
	char *word[WORDS_MAX];
	unsigned n;
};

static int wrong(struct script *p, const char *what, const char *found)
{
	return weft_err_set(p->err, WEFT_E_SYNTAX, "%s:%u: expected %s, found '%s'", p->path, p->line, what, found ? found : "");
}

static int number(struct script *p, const char *z, int64_t *out)
{
	return z && weft_parse_i64(weft_str(z), out) == 0 ? 0 : wrong(p, "a whole number", z);
}

static int run_process(struct script *p, bool begins)
{
	int64_t id;
	uint32_t actor = p->n > 1 ? spec_find_actor(p->s, p->word[1]) : SPEC_NONE;
	if (actor == SPEC_NONE)
		return wrong(p, "an actor", p->n > 1 ? p->word[1] : "");
	int rc = number(p, p->n > 2 ? p->word[2] : NULL, &id);
	return rc ? rc : weft_eval_process(p->e, actor, id, p->n > 3 ? p->word[3] : NULL, begins, p->err);
}

static int run_lost(struct script *p)
{
	int64_t id, count;
	int rc = number(p, p->n > 1 ? p->word[1] : NULL, &id);
	rc = rc ? rc : number(p, p->n > 2 ? p->word[2] : NULL, &count);
	return rc ? rc : weft_eval_lost(p->e, id, (uint64_t)count, -INFINITY, p->err);
}

static int set_value(struct script *p, uint32_t event, char *pair, struct tune_value *value)
{
	char *equals = strchr(pair, '=');
	if (!equals)
		return wrong(p, "NAME=VALUE", pair);
	*equals = '\0';
	uint32_t field = spec_find_field(p->s, event, pair);
	if (field == SPEC_NONE || field < FIELD_FIRST)
		return wrong(p, "an attribute of the event", pair);
	struct tune_value *v = &value[field - FIELD_FIRST];
	v->s = equals + 1;
	if (p->s->event.at[event].ref.at[field - FIELD_FIRST].t == TYPE_STRING)
		return 0;
	double d;
	int64_t i;
	if (weft_parse_i64(weft_str(equals + 1), &i) == 0) {
		v->i = i;
		v->d = (double)i;
		return 0;
	}
	if (weft_parse_double(weft_str(equals + 1), &d) || !(d > -9e18 && d < 9e18))
		return wrong(p, "a number", equals + 1);
	v->d = d;
	v->i = (long long)d;
	return 0;
}

static int run_event(struct script *p, double time)
{
	struct tune_value value[64] = {0};
	int64_t id;
	uint32_t event = p->n > 1 ? spec_find_event(p->s, p->word[1]) : SPEC_NONE;
	if (event == SPEC_NONE)
		return wrong(p, "an event", p->n > 1 ? p->word[1] : "");
	uint32_t n = (uint32_t)p->s->event.at[event].ref.n;
	if (n > 64)
		return wrong(p, "an event with at most 64 attributes", p->word[1]);
	int rc = number(p, p->n > 2 ? p->word[2] : NULL, &id);
	for (unsigned i = 3; !rc && i < p->n; i++)
		rc = set_value(p, event, p->word[i], value);
	return rc ? rc
	          : weft_eval_event(p->e,
	                            &(struct weft_eval_record){.event = event, .id = id, .time = time, .value = value, .n = n},
	                            p->err);
}

static int run_line(struct script *p, char *line)
{
	double time;
	char *rest = NULL;
	p->n = 0;
	for (char *w = strtok_r(line, " \t\r", &rest); w && p->n < WORDS_MAX; w = strtok_r(NULL, " \t\r", &rest))
		p->word[p->n++] = w;
	if (p->n == 0 || p->word[0][0] == '#')
		return 0;
	if (strcmp(p->word[0], "start") == 0 || strcmp(p->word[0], "end") == 0)
		return run_process(p, p->word[0][0] == 's');
	if (strcmp(p->word[0], "lost") == 0)
		return run_lost(p);
	if (weft_parse_double(weft_str(p->word[0]), &time))
		return wrong(p, "'start', 'end', 'lost' or a time", p->word[0]);
	return run_event(p, time);
}

int weft_eval_script(struct weft_eval *e, struct weft_spec *s, const char *path, struct weft_err *err)
{
	struct script p = {.e = e, .s = s, .path = path, .err = err};
	char *text;
	size_t n;
	int rc = weft_read_input(path, &text, &n, err);
	if (rc)
		return rc;
	for (char *line = text; line && rc == 0;) {
		char *next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p.line++;
		rc = run_line(&p, line);
		line = next;
	}
	free(text);
	return rc;
}
