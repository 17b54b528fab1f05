/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ names in full, as c++filt prints them: with parameters, templates, operators, lambdas. The
 * C++ runtime's own demangler says what they are; it is loaded when such a name comes up, and where
 * it is not, names without parameters are read as before (probe_name.c).
 *
 *     int        ns::Vec<int>::       push<char>   (int, char const*)   const
 *     what it    path                 name         signature            qualifiers
 *     returns
 *
 * Spaces are made the same on both sides, so that `f(int, char *)` is `f(int,char*)`.
 */
#include "probe_image.h"
#include "base/str.h"
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *symbol, char *out, size_t *room, int *status);

/* The library's demangler, once it has been looked for; or NULL. */
static demangler *found_demangler;

static void find_demangler(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
	for (size_t k = 0; k < sizeof libraries / sizeof *libraries && !found_demangler; k++) {
		void *library = dlopen(libraries[k], RTLD_LAZY | RTLD_LOCAL);
		void *at = library ? dlsym(library, "__cxa_demangle") : NULL;
		memcpy(&found_demangler, &at, sizeof at);
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/*
 * In place: the only spaces left are those between two words, in front of one, and of `operator<
 * <`.
 */
static void squeeze(char *text)
{
	char *to = text;
	for (const char *at = text; *at; at++) {
		char before = to > text ? to[-1] : 0, next = at[strspn(at, " ")];
		bool apart = (is_word(next) && before && !strchr(",(<", before)) || (before == '<' && next == '<');
		if (*at != ' ' || (before != ' ' && apart))
			*to++ = *at;
	}
	*to = '\0';
	/* What everybody calls a string. */
	static const char string[] = "std::__cxx11::basic_string<char,std::char_traits<char>,std::allocator<char>>";
	for (char *at; (at = strstr(text, string));) {
		memmove(at + 11, at + sizeof string - 1, strlen(at + sizeof string - 1) + 1);
		memcpy(at, "std::string", 11);
	}
}

bool probe_name_spoken(const char *symbol, size_t n, char *out, size_t room)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char mangled[2048];
	int status = -1;
	if (n < 3 || n >= sizeof mangled || memcmp(symbol, "_Z", 2) || pthread_once(&once, find_demangler) || !found_demangler)
		return false;
	memcpy(mangled, symbol, n);
	mangled[n] = '\0';
	char *text = found_demangler(mangled, NULL, NULL, &status);
	if (text && status == 0)
		squeeze(text);
	int length = text && status == 0 ? snprintf(out, room, "%s", text) : -1;
	free(text);
	return length > 0 && (size_t)length < room;
}

/* ---- the parts ---- */

struct parts {
	size_t name, sign, end; /* where name and signature begin, and the signature ends (sign = end: there is none) */
};

/* Length of `operator` and its symbol at the begin of text; 0: it is none. */
static size_t operator_length(const char *text)
{
	if (strncmp(text, "operator", 8) || is_word(text[8]))
		return 0;
	if (!strncmp(text + 8, "()", 2) || !strncmp(text + 8, "[]", 2))
		return 10;
	if (text[8] == ' ') /* a type, new, delete: all up to the signature */
		return 8 + strcspn(text + 8, "(");
	return 8 + strspn(text + 8, "+-*/%^&|~!=<>,");
}

size_t probe_name_group(const char *text, size_t n)
{
	unsigned depth = 0;
	for (size_t k = 0; k < n; k++) {
		if (strchr("([{<", text[k]))
			depth++;
		else if (strchr(")]}>", text[k]) && (k == 0 || text[k - 1] != '-') && --depth == 0)
			return k + 1;
	}
	return n;
}

static struct parts split(const char *text)
{
	struct parts p = {0};
	size_t n = strlen(text);
	bool named = false; /* an operator has begun: what has spaces from there on is its name */
	p.sign = p.end = n;
	for (size_t k = 0; k < n;) {
		size_t skip = k == 0 || !is_word(text[k - 1]) ? operator_length(text + k) : 0;
		if (skip) {
			named = true;
			k += skip;
		} else if (strchr("([{<", text[k])) {
			size_t to = k + probe_name_group(text + k, n - k);
			bool path = !strncmp(text + to, "::", 2);
			if (text[k] == '(' && !path) {
				p.sign = k;
				p.end = to;
			}
			k = to;
		} else {
			if (text[k] == ' ' && !named && p.sign == n)
				p.name = k + 1;
			k++;
		}
	}
	return p;
}

/* Without what is in < > (of n bytes). */
static void without_arguments(const char *text, size_t n, char *out, size_t room)
{
	size_t to = 0;
	for (size_t k = 0; k < n && to + 1 < room;) {
		size_t skip = k == 0 || !is_word(text[k - 1]) ? operator_length(text + k) : 0;
		if (skip) {
			skip = skip < n - k ? skip : n - k;
			skip = skip < room - to - 1 ? skip : room - to - 1;
			memcpy(out + to, text + k, skip);
			to += skip;
			k += skip;
		} else if (text[k] == '<') {
			k += probe_name_group(text + k, n - k);
		} else {
			out[to++] = text[k++];
		}
	}
	out[to] = '\0';
}

static enum probe_match compare(const char *form, const char *asked, bool glob)
{
	size_t n = strlen(form), n_asked = strlen(asked);
	if (!strcmp(form, asked))
		return PROBE_SAME;
	bool tail = n > n_asked + 2 && !strcmp(form + n - n_asked, asked) && !memcmp(form + n - n_asked - 2, "::", 2);
	if (tail)
		return PROBE_END;
	return glob && weft_glob(asked, form) ? PROBE_GLOB : PROBE_NO;
}

bool probe_name_is_pattern(const char *asked)
{
	struct parts p = split(asked);
	for (size_t k = 0; k < p.sign; k++) {
		size_t skip = k == 0 || !is_word(asked[k - 1]) ? operator_length(asked + k) : 0;
		if (skip)
			k += skip - 1;
		else if (asked[k] == '<')
			k += probe_name_group(asked + k, p.sign - k) - 1;
		else if (asked[k] == '*' || asked[k] == '?')
			return true;
	}
	return false;
}

bool probe_name_is_full(const char *asked)
{
	return strpbrk(asked, "(<{ *?&") || strstr(asked, "operator");
}

enum probe_match probe_name_match_spoken(const char *spoken, const char *asked)
{
	char want[1024], form[2048], plain[1024];
	enum probe_match best = PROBE_NO;
	if (strlen(asked) >= sizeof want || strlen(spoken) >= sizeof form)
		return PROBE_NO;
	strcpy(want, asked);
	squeeze(want);
	bool glob = probe_name_is_pattern(want);
	struct parts p = split(spoken);
	without_arguments(spoken + p.name, p.sign - p.name, plain, sizeof plain);
	bool ends_in_arguments = p.sign > p.name && spoken[p.sign - 1] == '>';
	size_t bare = p.sign;
	for (size_t k = p.name; ends_in_arguments && k < p.sign; k++) {
		size_t skip = operator_length(spoken + k);
		if (skip)
			k += skip - 1;
		else if (strchr("([{<", spoken[k])) {
			size_t group = probe_name_group(spoken + k, p.sign - k);
			bare = k + group == p.sign && spoken[k] == '<' ? k : bare;
			k += group - 1;
		}
	}
	const struct {
		const char *at;
		int n;
		const char *behind;
		int n_behind;
	} forms[] = {
		{spoken, (int)strlen(spoken), "", 0},
		{spoken + p.name, (int)strlen(spoken + p.name), "", 0},
		{spoken + p.name, (int)(p.end - p.name), "", 0},
		{spoken + p.name, (int)(p.sign - p.name), "", 0},
		{spoken + p.name, (int)(bare - p.name), "", 0},
		{spoken + p.name, (int)(bare - p.name), spoken + p.sign, (int)(p.end - p.sign)},
		{plain, (int)strlen(plain), spoken + p.sign, (int)strlen(spoken + p.sign)},
		{plain, (int)strlen(plain), spoken + p.sign, (int)(p.end - p.sign)},
		{plain, (int)strlen(plain), "", 0},
	};
	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		snprintf(form, sizeof form, "%.*s%.*s", forms[k].n, forms[k].at, forms[k].n_behind, forms[k].behind);
		enum probe_match m = compare(form, want, glob);
		best = m > best ? m : best;
	}
	return best;
}

void probe_name_label(const char *symbol, char *out, size_t room)
{
	char spoken[2048];
	size_t n = strcspn(symbol, ".@");
	if (probe_name_spoken(symbol, n, spoken, sizeof spoken)) {
		snprintf(out, room, "%s", spoken + split(spoken).name);
		return;
	}
	if (!probe_name_qualified(symbol, n, out, room))
		snprintf(out, room, "%.*s", (int)n, symbol);
}

bool probe_name_without_parameters(const char *asked, char *out, size_t room)
{
	struct parts p = split(asked);
	if (p.sign == p.end || p.sign == 0)
		return false;
	snprintf(out, room, "%.*s", (int)(p.sign - p.name), asked + p.name);
	return true;
}
