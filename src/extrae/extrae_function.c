/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the program says it enters and leaves: regions called as the function is, found by an address in its code. */
#include "extrae_priv.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { FUNCTIONS = 4096, DEPTH_MOST = 256, NAMED = 1024 };

static struct {
	void *_Atomic at; /* NULL: free */
	weft_region region;
} known[FUNCTIONS];
static struct {
	const void *at;
	char name[120], file[120];
	unsigned line;
} named[NAMED];
static unsigned n_named;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static weft_category category;

static __thread weft_region open_region[DEPTH_MOST];
static __thread unsigned depth;

void extrae_begin_functions(void)
{
	category = weft_define_category("functions", 1);
}

/* What the program said of the function, or what the dynamic linker knows. Under the lock. */
static weft_region define(const void *at)
{
	Dl_info in;
	char text[160];
	bool found = dladdr(at, &in) != 0;
	const void *begin = found && in.dli_saddr ? in.dli_saddr : at;
	for (unsigned i = 0; i < n_named; i++)
		if (named[i].at == begin)
			return weft_define_region_at(named[i].name, WEFT_STATE_RUNNING, category, named[i].file, named[i].line);
	const char *slash = found && in.dli_fname ? strrchr(in.dli_fname, '/') : NULL;
	if (found && in.dli_sname)
		snprintf(text, sizeof text, "%s", in.dli_sname);
	else if (found && in.dli_fname)
		snprintf(text, sizeof text, "%s+0x%zx", slash ? slash + 1 : in.dli_fname,
		         (size_t)((const char *)at - (const char *)in.dli_fbase));
	else
		snprintf(text, sizeof text, "%p", at);
	return weft_define_region(text, WEFT_STATE_RUNNING, category);
}

static weft_region region_of(void *at)
{
	unsigned first = (unsigned)((uintptr_t)at * 0x9e3779b97f4a7c15u >> 52), i;
	for (i = first; known[i].at && known[i].at != at; i = (i + 1) % FUNCTIONS)
		if ((i + 1) % FUNCTIONS == first)
			return WEFT_OFF;
	if (known[i].at == at)
		return known[i].region;
	pthread_mutex_lock(&lock);
	for (; known[i].at && known[i].at != at; i = (i + 1) % FUNCTIONS)
		;
	if (!known[i].at) {
		known[i].region = define(at);
		if ((i + 1) % FUNCTIONS != first)
			known[i].at = at;
	}
	weft_region r = known[i].region;
	pthread_mutex_unlock(&lock);
	return r;
}

extrae_value_t extrae_function(bool enter, void *at)
{
	if (!enter && !depth)
		return 0;
	if (!enter && --depth < DEPTH_MOST)
		weft_leave(open_region[depth]);
	if (enter && at) {
		weft_region r = region_of(at);
		if (depth < DEPTH_MOST) {
			open_region[depth] = r;
			weft_enter(r);
		}
		depth++;
	}
	return enter ? (extrae_value_t)(uintptr_t)at : 0;
}

/* Level 0 is the function that called: the first frame that is not this library's. */
extrae_value_t extrae_function_at_level(bool enter, unsigned level)
{
	void *frame[64];
	Dl_info own, of;
	int n = enter ? backtrace(frame, 64) : 0, i = 0;
	if (!enter || !dladdr((void *)extrae_function_at_level, &own))
		return extrae_function(enter, NULL);
	while (i < n && dladdr(frame[i], &of) && of.dli_fbase == own.dli_fbase)
		i++;
	return extrae_function(true, level < 64 && i + (int)level < n ? frame[i + (int)level] : NULL);
}

void extrae_name_function(const void *at, const char *function, const char *file, unsigned line)
{
	pthread_mutex_lock(&lock);
	if (n_named < NAMED) {
		named[n_named].at = at;
		snprintf(named[n_named].name, sizeof named->name, "%s", function ? function : "");
		snprintf(named[n_named].file, sizeof named->file, "%s", file ? file : "");
		named[n_named++].line = line;
	}
	pthread_mutex_unlock(&lock);
}
