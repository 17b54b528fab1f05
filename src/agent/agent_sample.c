/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a process that was attached to: libweft-sample, loaded by the command thread. Nobody tells of threads that begin, so the controller has
 * it look for them now and then.
 */
#include "agent_priv.h"
#include "link/link_sample.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static link_sample_look *sample_look;

static int no_threads(const struct link_thread_watch *watch)
{
	(void)watch;
	return 0;
}

static void know_no_timers(bool (*is_timer)(const void *))
{
	(void)is_timer;
}

/* What would have ended the process without us. */
static void foreign(int number, siginfo_t *info, void *context)
{
	const struct sigaction as_before = {.sa_handler = SIG_DFL};
	(void)info, (void)context;
	(void)sigaction(number, &as_before, NULL);
	(void)raise(number);
}

/* One that the program does not use. */
static int find_signal(void)
{
	struct sigaction now;
	for (int s = SIGRTMAX - 4; s > SIGRTMIN + 4; s--)
		if (sigaction(s, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			return s;
	return 0;
}

static void *beside_me(const char *library)
{
	Dl_info me;
	char path[4200];
	const char *slash = dladdr((void *)find_signal, &me) ? strrchr(me.dli_fname, '/') : NULL;
	if (!slash ||
	    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - me.dli_fname), me.dli_fname, library) >= (int)sizeof path)
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int sample_begin(const char *settings)
{
	static char kept[64];
	void *library = beside_me(LINK_SAMPLE_LIBRARY);
	link_sample_begin *begin = library ? (link_sample_begin *)dlsym(library, LINK_SAMPLE_BEGIN) : NULL;
	link_sample_look *look = library ? (link_sample_look *)dlsym(library, LINK_SAMPLE_LOOK) : NULL;
	if (!begin || !look)
		return -ELIBACC;
	if (strlen(settings) >= sizeof kept)
		return -EINVAL;
	strcpy(kept, settings);
	const struct link_sample with = {.version = LINK_SAMPLE_VERSION,
	                                 .signal = find_signal(),
	                                 .on_thread = no_threads,
	                                 .action = sigaction,
	                                 .foreign = foreign,
	                                 .know_timers = know_no_timers,
	                                 .settings = kept};
	int rc = with.signal ? begin(&with) : -EBUSY;
	if (rc == 0)
		sample_look = look;
	return rc;
}

int agent_sample(const char *settings)
{
	if (*settings && strcmp(settings, LINK_SAMPLE_END) != 0)
		return sample_look ? -EALREADY : sample_begin(settings);
	if (sample_look)
		sample_look(*settings == '\0');
	return 0;
}
