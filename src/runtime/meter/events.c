/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and reading. All are one group, so that one call reads them, and they count at the same time; where the processor has not
 * so many counters at once, each is alone, and the kernel lets them take turns: then they are scaled to the whole time.
 */
#include "events.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FORMAT = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };

/* A thread that may not count what the kernel does counts what it does itself. */
static int open_one(const struct rt_event *e, int group, bool grouped)
{
	struct perf_event_attr attr = {.size = sizeof attr,
	                               .type = e->type,
	                               .config = e->config,
	                               .disabled = grouped && group < 0, /* until all are there */
	                               .read_format = FORMAT | (grouped ? PERF_FORMAT_GROUP : 0)};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 || (errno != EACCES && errno != EPERM))
		return fd;
	attr.exclude_kernel = attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

void rt_event_close(struct rt_event_counters *c)
{
	while (c->n)
		close(c->fd[--c->n]);
}

static int open_all(struct rt_event_counters *c, const struct rt_events *e, bool grouped)
{
	*c = (struct rt_event_counters){.grouped = grouped};
	for (unsigned i = 0; i < e->n; i++) {
		int fd = open_one(&e->event[i], grouped && i ? c->fd[0] : -1, grouped);
		if (fd < 0) {
			int rc = -errno;
			rt_event_close(c);
			return rc;
		}
		c->fd[c->n++] = fd;
	}
	if (grouped && ioctl(c->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)) {
		rt_event_close(c);
		return -EINVAL;
	}
	return 0;
}

/* What is in one group, and never has counted, does not fit together. */
static bool counts(const struct rt_event_counters *c)
{
	uint64_t raw[3 + RT_EVENTS];
	ssize_t bytes = read(c->fd[0], raw, sizeof raw);
	return bytes >= (ssize_t)(3 * sizeof raw[0]) && raw[2];
}

int rt_event_open(struct rt_event_counters *c, const struct rt_events *e)
{
	*c = (struct rt_event_counters){0};
	if (!e->n)
		return -ENOENT;
	if (!open_all(c, e, true) && counts(c))
		return 0;
	rt_event_close(c);
	return open_all(c, e, false);
}

static long long scaled(uint64_t count, uint64_t enabled, uint64_t running)
{
	return (long long)(running && running < enabled ? (double)count * ((double)enabled / (double)running) : (double)count);
}

void rt_event_read(const struct rt_event_counters *c, long long *values)
{
	uint64_t raw[3 + RT_EVENTS];
	memset(values, 0, RT_EVENTS * sizeof *values);
	if (c->grouped) { /* how many, enabled, running, counts */
		ssize_t bytes = c->n ? read(c->fd[0], raw, sizeof raw) : 0;
		for (unsigned i = 0; i < c->n && bytes >= (ssize_t)((3 + c->n) * sizeof raw[0]); i++)
			values[i] = scaled(raw[3 + i], raw[1], raw[2]);
		return;
	}
	for (unsigned i = 0; i < c->n; i++) /* count, enabled, running */
		if (read(c->fd[i], raw, 3 * sizeof raw[0]) == (ssize_t)(3 * sizeof raw[0]))
			values[i] = scaled(raw[0], raw[1], raw[2]);
}

static bool is_countable(const struct rt_event *e, struct weft_err *err)
{
	int fd = open_one(e, -1, false);
	int rc = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (rc)
		weft_err_set(err, rc, "event '%s' cannot be counted here: %s", e->name,
		             rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV ? "this machine does not have it"
		                                                                 : strerror(-rc));
	return !rc;
}

void rt_events_parse(struct rt_events *e, const char *text, void (*say)(const char *line))
{
	static const char between[] = " ,\t\n";
	e->n = 0;
	for (text += strspn(text, between); *text; text += strspn(text, between)) {
		size_t length = strcspn(text, between);
		char name[RT_EVENT_NAME];
		struct weft_err err = {0};
		struct rt_event found;
		size_t kept = length < sizeof name ? length : sizeof name - 1;
		memcpy(name, text, kept);
		name[kept] = '\0';
		text += length;
		if (rt_event_find(&found, name, &err) || !is_countable(&found, &err)) {
			say(err.text);
			continue;
		}
		if (e->n == RT_EVENTS) {
			say("more than 15 events: those behind are left out");
			return;
		}
		e->event[e->n++] = found;
	}
}
