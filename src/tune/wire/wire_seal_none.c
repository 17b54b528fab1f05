/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealing in a build without libsodium: every call says that it cannot. Wires between parent and
 * child work without it.
 */
#include "wire_priv.h"
#include <errno.h>
#include <string.h>

const char wire_magic[8] = {'w', 'e', 'f', 't', 'w', 'i', 'r', '1'};

bool weft_wire_can_seal(void)
{
	return false;
}

const char *weft_wire_library(void)
{
	return "";
}

void weft_secret_wipe(struct weft_secret *s)
{
	explicit_bzero(s, sizeof *s);
}

int wire_seal_new(struct wire_seal **out, const struct weft_secret *s)
{
	(void)s;
	*out = NULL;
	return -ENOTSUP;
}

void wire_seal_free(struct wire_seal *k)
{
	(void)k;
}

int wire_seal_hello(struct wire_seal *k, unsigned char out[WIRE_HELLO_BYTES])
{
	(void)k, (void)out;
	return -ENOTSUP;
}

int wire_seal_reply(struct wire_seal *k, const unsigned char hello[WIRE_HELLO_BYTES], unsigned char out[WIRE_REPLY_BYTES])
{
	(void)k, (void)hello, (void)out;
	return -ENOTSUP;
}

int wire_seal_confirm(struct wire_seal *k, const unsigned char reply[WIRE_REPLY_BYTES], unsigned char out[WIRE_CONFIRM_BYTES])
{
	(void)k, (void)reply, (void)out;
	return -ENOTSUP;
}

int wire_seal_confirmed(struct wire_seal *k, const unsigned char confirm[WIRE_CONFIRM_BYTES])
{
	(void)k, (void)confirm;
	return -ENOTSUP;
}

int wire_seal_close(struct wire_seal *k, unsigned char *out, const unsigned char *in, size_t n, const unsigned char length[4])
{
	(void)k, (void)out, (void)in, (void)n, (void)length;
	return -ENOTSUP;
}

int wire_seal_open(struct wire_seal *k, unsigned char *out, const unsigned char *in, size_t n, const unsigned char length[4])
{
	(void)k, (void)out, (void)in, (void)n, (void)length;
	return -ENOTSUP;
}

void wire_seal_give(const struct wire_seal *k, unsigned char out[WIRE_SEAL_STATE_BYTES])
{
	(void)k, (void)out;
}

int wire_seal_take(struct wire_seal **out, const unsigned char state[WIRE_SEAL_STATE_BYTES])
{
	(void)state;
	*out = NULL;
	return -ENOTSUP;
}
