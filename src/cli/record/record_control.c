/* SPDX-License-Identifier: Apache-2.0 */
/* The file that libweft looks for 20 times a second (WEFT_WHILE), in the trace's own folder. */
#include "record_control.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_asked(const struct record_args *a)
{
	return a->paused || a->toggle_on || a->after != RECORD_NOT_GIVEN || a->only_for != RECORD_NOT_GIVEN;
}

int record_control_check(struct record_control *c, const struct record_args *a, struct weft_err *err)
{
	*c = (struct record_control){0};
	if (!is_asked(a))
		return 0;
	if (a->while_file || a->environment)
		return weft_err_set(err, -EINVAL, "--paused, --toggle-on, --after and --for exclude --%s",
		                    a->while_file ? "while" : "environment");
	if (a->paused && a->after != RECORD_NOT_GIVEN)
		return weft_err_set(err, -EINVAL, "--paused and --after exclude each other");
	if (!a->toggle_on)
		return 0;
	c->signal = record_parse_signal(a->toggle_on);
	if (c->signal <= 0 || c->signal == SIGKILL || c->signal == SIGSTOP || c->signal == SIGCHLD)
		return weft_err_set(err, -EINVAL, "'%s' is no signal that a program can wait for", a->toggle_on);
	return 0;
}

static int put_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int record_control_begin(struct record_control *c, const struct record_args *a, const char *dir, struct weft_err *err)
{
	if (!is_asked(a))
		return 0;
	if (asprintf(&c->on, "%s/" RECORD_CONTROL_ON, dir) < 0)
		c->on = NULL;
	if (!c->on || asprintf(&c->looked_at, "%s/" RECORD_CONTROL_LOOKED_AT, dir) < 0)
		return weft_err_set(err, -ENOMEM, "out of memory");
	bool later = a->paused || a->after != RECORD_NOT_GIVEN;
	int rc = put_file(c->looked_at);
	if (rc == 0 && !later)
		rc = put_file(c->on);
	if (rc)
		return weft_err_sys(err, -rc, "cannot write '%s'", c->on);
	c->began_ns = weft_monotonic_ns();
	if (a->after != RECORD_NOT_GIVEN)
		c->on_ns = c->began_ns + a->after;
	if (a->only_for != RECORD_NOT_GIVEN)
		c->off_ns = (c->on_ns ? c->on_ns : c->began_ns) + a->only_for;
	return setenv("WEFT_WHILE", c->on, 1) ? weft_err_sys(err, errno, "cannot set the environment") : 0;
}

int record_control_wait_ms(const struct record_control *c, int wait_ms)
{
	uint64_t next = c->on_ns ? c->on_ns : c->off_ns, now = next ? weft_monotonic_ns() : 0;
	uint64_t left_ms = next > now ? (next - now) / 1000000 + 1 : 0;
	if (!next)
		return wait_ms;
	return wait_ms < 0 || left_ms < (uint64_t)wait_ms ? (int)(left_ms < 60000 ? left_ms : 60000) : wait_ms;
}

void record_control_look(struct record_control *c)
{
	uint64_t now = c->on_ns || c->off_ns ? weft_monotonic_ns() : 0;
	if (c->on_ns && now >= c->on_ns) {
		(void)put_file(c->on);
		c->on_ns = 0;
	}
	if (c->off_ns && now >= c->off_ns) {
		(void)unlink(c->on);
		c->off_ns = 0;
	}
}

void record_control_toggle(struct record_control *c)
{
	if (c->on && unlink(c->on))
		(void)put_file(c->on);
}

void record_control_end(struct record_control *c)
{
	if (c->on)
		(void)unlink(c->on);
	if (c->looked_at)
		(void)unlink(c->looked_at);
	free(c->on);
	free(c->looked_at);
	*c = (struct record_control){0};
}

int record_control_switch(const char *dir, bool on, struct weft_err *err)
{
	struct record_control c = {0};
	int rc = 0;
	if (asprintf(&c.on, "%s/" RECORD_CONTROL_ON, dir) < 0)
		return weft_err_set(err, -ENOMEM, "out of memory");
	if (asprintf(&c.looked_at, "%s/" RECORD_CONTROL_LOOKED_AT, dir) < 0) {
		c.looked_at = NULL;
		rc = weft_err_set(err, -ENOMEM, "out of memory");
	} else if (access(dir, F_OK)) {
		rc = weft_err_sys(err, errno, "cannot open '%s'", dir);
	} else if (access(c.looked_at, F_OK)) {
		rc = weft_err_set(err, -ENOENT,
		                  "'%s' is not being recorded by weft record with --paused, --toggle-on, --after or --for", dir);
	} else if (on ? (rc = put_file(c.on)) != 0 : unlink(c.on) && errno != ENOENT) {
		rc = weft_err_sys(err, rc ? -rc : errno, "cannot write '%s'", c.on);
	}
	free(c.on);
	free(c.looked_at);
	return rc;
}
