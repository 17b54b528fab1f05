/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of functions as people write them, and as symbols spell them.
 *
 * A C++ symbol is read as far as its name goes (Itanium ABI, 5.1): the path of namespaces and
 * classes and the function; template arguments are skipped, parameters never reached. That is
 * enough to find `Class::method`, and needs no demangler. Substitutions in the path itself can only
 * be std's, since nothing comes before it that could be repeated.
 */
#include "probe_image.h"
#include "base/str.h"
#include <stdio.h>
#include <string.h>

struct part {
	const char *at;
	size_t n;
};

struct reader {
	const char *at, *end;
	char *out;
	size_t n, room;
};

static bool out_part(struct reader *r, const char *at, size_t n)
{
	size_t need = n + (r->n ? 2 : 0);
	if (r->n + need >= r->room)
		return false;
	if (r->n) {
		memcpy(r->out + r->n, "::", 2);
		r->n += 2;
	}
	memcpy(r->out + r->n, at, n);
	r->n += n;
	r->out[r->n] = '\0';
	return true;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* <length><identifier> */
static bool read_source_name(struct reader *r, struct part *part)
{
	size_t n = 0;
	while (r->at < r->end && digit(*r->at)) {
		n = n * 10 + (size_t)(*r->at++ - '0');
		if (n > 1u << 20)
			return false;
	}
	if (n == 0 || (size_t)(r->end - r->at) < n)
		return false;
	*part = (struct part){r->at, n};
	r->at += n;
	return true;
}

/* L <type> <value> E: the value's digits are no lengths. */
static void skip_literal(struct reader *r)
{
	if (r->at + 1 < r->end && r->at[0] == '_' && r->at[1] == 'Z')
		return; /* a function's address: its encoding is balanced like the rest */
	while (r->at < r->end && *r->at != 'E') {
		if (digit(*r->at) && r->at[-1] != 'L')
			while (r->at < r->end && digit(*r->at))
				r->at++;
		else if (digit(*r->at)) {
			struct part part;
			if (!read_source_name(r, &part))
				return;
		} else {
			r->at++;
		}
	}
}

/* I … E, from behind the I. */
static bool skip_template_args(struct reader *r)
{
	for (unsigned depth = 1; depth && r->at < r->end;) {
		char c = *r->at;
		struct part part;
		if (digit(c)) {
			if (!read_source_name(r, &part))
				return false;
			continue;
		}
		r->at++;
		if (c == 'E')
			depth--;
		else if (strchr("NIXJF", c))
			depth++;
		else if (c == 'L') {
			depth++;
			skip_literal(r);
		} else if (c == 'S' || c == 'T') {
			while (r->at < r->end && *r->at != '_' && (digit(*r->at) || (*r->at >= 'A' && *r->at <= 'Z')))
				r->at++;
			r->at += r->at < r->end;
		} else if (c == 'D' && r->at < r->end) {
			r->at++;
		}
	}
	return r->at <= r->end;
}

static const char *std_abbreviation(char c)
{
	static const struct {
		char code;
		const char *name;
	} known[] = {{'t', "std"},          {'a', "std::allocator"}, {'b', "std::basic_string"}, {'s', "std::string"},
	             {'i', "std::istream"}, {'o', "std::ostream"},   {'d', "std::iostream"}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].code == c)
			return known[i].name;
	return NULL;
}

/* C1, C2, D0…: called like the class, which is the last part so far. */
static bool out_structor(struct reader *r, struct part last, bool destructor)
{
	char name[256];
	int n = snprintf(name, sizeof name, "%s%.*s", destructor ? "~" : "", (int)(last.n < 200 ? last.n : 200), last.at);
	return n > 0 && out_part(r, name, (size_t)n);
}

/* The parts of a path up to its E (nested), or one part. */
static bool read_path(struct reader *r, bool nested)
{
	struct part last = {0};
	while (nested && r->at < r->end && strchr("rVKRO", *r->at))
		r->at++;
	while (r->at < r->end) {
		char c = *r->at;
		if (c == 'E' && nested)
			return true;
		if (digit(c)) {
			if (!read_source_name(r, &last) || !out_part(r, last.at, last.n))
				return false;
		} else if (c == 'S' && r->at + 1 < r->end && std_abbreviation(r->at[1])) {
			const char *name = std_abbreviation(r->at[1]), *tail = strrchr(name, ':');
			last = (struct part){tail ? tail + 1 : name, strlen(tail ? tail + 1 : name)};
			r->at += 2;
			if (!out_part(r, name, strlen(name)))
				return false;
			if (!nested && name[3] == '\0')
				continue; /* St: a part of std follows */
		} else if (c == 'I') {
			r->at++;
			if (!skip_template_args(r))
				return false;
			continue;
		} else if ((c == 'C' || c == 'D') && r->at + 1 < r->end && digit(r->at[1])) {
			r->at += 2;
			if (!out_structor(r, last, c == 'D'))
				return false;
		} else if (c == 'B') { /* an ABI tag */
			struct part tag;
			r->at++;
			if (!read_source_name(r, &tag))
				return false;
			continue;
		} else if (c == 'L') { /* of this file only */
			r->at++;
			continue;
		} else {
			return !nested && r->n > 0;
		}
		if (!nested)
			return true;
	}
	return !nested && r->n > 0;
}

bool probe_name_qualified(const char *symbol, size_t n, char *out, size_t room)
{
	struct reader r = {symbol, symbol + n, out, 0, room};
	if (n < 3 || memcmp(symbol, "_Z", 2) || room == 0)
		return false;
	r.at += 2;
	bool nested = *r.at == 'N';
	r.at += nested;
	return read_path(&r, nested) && r.n > 0;
}

static enum probe_clone clone_of(const char *suffix)
{
	static const struct {
		const char *text;
		enum probe_clone clone;
	} known[] = {{".cold", PROBE_COLD}, {".part.", PROBE_PART}, {".isra.", PROBE_SPECIAL}, {".constprop.", PROBE_SPECIAL}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strstr(suffix, known[i].text))
			return known[i].clone;
	return PROBE_WHOLE;
}

static enum probe_match match_text(const char *name, size_t n, const char *asked, size_t n_asked)
{
	if (n == n_asked && !memcmp(name, asked, n))
		return PROBE_SAME;
	bool tail = n > n_asked + 2 && !memcmp(name + n - n_asked, asked, n_asked) && !memcmp(name + n - n_asked - 2, "::", 2);
	return tail ? PROBE_END : PROBE_NO;
}

/* Whether a symbol can be what a full name says, by the longest word that stands in both. */
static bool may_be(const char *symbol, size_t n, const char *asked)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	if (probe_name_is_pattern(asked) || strstr(asked, "operator"))
		return true;
	size_t path = strcspn(asked, "<({ ");
	if (path == 0)
		return true;
	while (path > 0 && !memchr(letters, asked[path - 1], sizeof letters - 1))
		path--;
	size_t begin = path;
	while (begin > 0 && memchr(letters, asked[begin - 1], sizeof letters - 1))
		begin--;
	return asked[path] == ' ' || (begin > 0 && asked[begin - 1] == '~') || memmem(symbol, n, asked + begin, path - begin);
}

/* The ways in which only full names and patterns match. */
static enum probe_match match_full(const char *symbol, size_t n, const char *asked)
{
	char spoken[2048], plain[512];
	bool pattern = probe_name_is_pattern(asked);
	if (symbol[0] != '_' || symbol[1] != 'Z') {
		size_t n_asked = strlen(asked);
		if (n_asked == n + 2 && !memcmp(asked, symbol, n) && !strcmp(asked + n, "()"))
			return PROBE_SAME;
		/* What begins with _ is the system's: a star in front does not mean it. */
		bool hidden = symbol[0] == '_' && asked[0] != '_';
		snprintf(plain, sizeof plain, "%.*s", (int)(n < sizeof plain ? n : 0), symbol);
		return pattern && !hidden && n && weft_glob(asked, plain) ? PROBE_GLOB : PROBE_NO;
	}
	return may_be(symbol, n, asked) && probe_name_spoken(symbol, n, spoken, sizeof spoken)
	               ? probe_name_match_spoken(spoken, asked)
	               : PROBE_NO;
}

enum probe_match probe_name_match_full(const char *symbol, const char *asked, enum probe_clone *clone)
{
	size_t n = strcspn(symbol, ".@");
	*clone = symbol[n] == '.' ? clone_of(symbol + n) : PROBE_WHOLE;
	return match_full(symbol, n, asked);
}

enum probe_match probe_name_match(const char *symbol, const char *asked, enum probe_clone *clone)
{
	char name[512];
	bool mangled = symbol[0] == '_' && symbol[1] == 'Z';
	if (symbol[0] != asked[0] && !mangled) /* nearly all of them */
		return PROBE_NO;
	size_t n_asked = strlen(asked);
	if (!mangled && strncmp(symbol, asked, n_asked)) /* and of the others */
		return PROBE_NO;
	size_t n = strcspn(symbol, ".@");
	*clone = symbol[n] == '.' ? clone_of(symbol + n) : PROBE_WHOLE;
	if (match_text(symbol, n, asked, n_asked) == PROBE_SAME || !strcmp(symbol, asked))
		return PROBE_SAME;
	if (!mangled)
		return PROBE_NO;
	/* Most symbols do not hold the last part of the name at all. */
	const char *colon = strrchr(asked, ':'), *last = colon ? colon + 1 : asked;
	if (*last != '~' && !strstr(symbol, last))
		return PROBE_NO;
	return probe_name_qualified(symbol, n, name, sizeof name) ? match_text(name, strlen(name), asked, n_asked) : PROBE_NO;
}
