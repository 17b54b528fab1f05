/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secret of a run and its two ways to other processes: a descriptor that a child inherits, a
 * file of mode 0600. Both hold it as 64 hexadecimal digits, so that a person can carry it to
 * another host.
 */
#include "wire_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 2 * WIRE_SECRET_BYTES };

int weft_secret_new(struct weft_secret *out, struct weft_err *err)
{
	size_t n = 0;
	while (n < sizeof out->byte) {
		ssize_t got = getrandom(out->byte + n, sizeof out->byte - n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return weft_err_sys(err, errno, "cannot make a secret");
		n += (size_t)got;
	}
	return 0;
}

static void to_digits(const struct weft_secret *s, char out[DIGITS + 1])
{
	static const char digit[] = "0123456789abcdef";
	for (int i = 0; i < WIRE_SECRET_BYTES; i++) {
		out[2 * i] = digit[s->byte[i] >> 4];
		out[2 * i + 1] = digit[s->byte[i] & 15];
	}
	out[DIGITS] = '\n';
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int write_digits(const struct weft_secret *s, int fd)
{
	char text[DIGITS + 1];
	to_digits(s, text);
	size_t n = 0;
	while (n < sizeof text) {
		ssize_t done = write(fd, text + n, sizeof text - n);
		if (done < 0 && errno != EINTR)
			return -errno;
		n += done > 0 ? (size_t)done : 0;
	}
	explicit_bzero(text, sizeof text);
	return 0;
}

int weft_secret_from_fd(struct weft_secret *out, int fd, struct weft_err *err)
{
	char text[DIGITS + 2];
	size_t n = 0;
	for (ssize_t got = 1; n < sizeof text && got != 0;) {
		got = read(fd, text + n, sizeof text - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return weft_err_sys(err, errno, "cannot read the secret");
		n += (size_t)got;
	}
	n -= n > 0 && text[n - 1] == '\n';
	bool ok = n == DIGITS;
	for (int i = 0; ok && i < WIRE_SECRET_BYTES; i++) {
		int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
		ok = high >= 0 && low >= 0;
		out->byte[i] = (unsigned char)((unsigned)high << 4 | (unsigned)low);
	}
	explicit_bzero(text, sizeof text);
	return ok ? 0 : weft_err_set(err, WEFT_E_SYNTAX, "a secret has %d hexadecimal digits", DIGITS);
}

int weft_secret_to_fd(const struct weft_secret *s, struct weft_err *err)
{
	int fd = memfd_create("weft-secret", MFD_CLOEXEC);
	if (fd < 0)
		return weft_err_sys(err, errno, "cannot hand over the secret");
	int rc = write_digits(s, fd);
	if (!rc && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	rc = weft_err_sys(err, rc ? -rc : errno, "cannot hand over the secret");
	close(fd);
	return rc;
}

int weft_secret_to_file(const struct weft_secret *s, const char *path, struct weft_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return weft_err_sys(err, errno, "cannot write '%s'", path);
	int rc = write_digits(s, fd);
	if (close(fd) && !rc)
		rc = -errno;
	if (rc) {
		unlink(path);
		return weft_err_sys(err, -rc, "cannot write '%s'", path);
	}
	return 0;
}

int weft_secret_from_file(struct weft_secret *out, const char *path, struct weft_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (fd < 0)
		return weft_err_sys(err, errno, "cannot open '%s'", path);
	int rc = 0;
	if (fstat(fd, &st))
		rc = weft_err_sys(err, errno, "cannot open '%s'", path);
	else if (!S_ISREG(st.st_mode) || (st.st_mode & 077) || (st.st_uid != geteuid() && st.st_uid != 0))
		rc = weft_err_set(err, -EPERM, "'%s' must be a file that only its owner may read (chmod 600)", path);
	else if ((rc = weft_secret_from_fd(out, fd, err)))
		weft_err_prefix(err, "'%s'", path);
	close(fd);
	return rc;
}
