/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealing with libsodium: X25519 for ephemeral keys, keyed BLAKE2b for proofs and session keys,
 * secretstream (XChaCha20-Poly1305 with a running nonce) for frames: a frame that was changed,
 * repeated, left out or moved does not open.
 *
 * A greeting is answered only after its proof held, so that a peer without the secret learns
 * nothing, and costs a hash.
 */
#include "wire_priv.h"
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(WIRE_SEAL_BYTES == crypto_secretstream_xchacha20poly1305_ABYTES, "bytes that sealing adds");
_Static_assert(WIRE_SEAL_STATE_BYTES == 2 * sizeof(crypto_secretstream_xchacha20poly1305_state), "bytes of two states");
_Static_assert(WIRE_REPLY_BYTES == 32 + crypto_secretstream_xchacha20poly1305_HEADERBYTES + 32, "bytes of a reply");

const char wire_magic[8] = {'w', 'e', 'f', 't', 'w', 'i', 'r', '1'};
enum { KEY = 32, PROOF = 32, HEADER = crypto_secretstream_xchacha20poly1305_HEADERBYTES };

struct wire_seal {
	struct weft_secret secret;
	unsigned char pub[KEY], priv[KEY];
	unsigned char hello[WIRE_HELLO_BYTES];
	crypto_secretstream_xchacha20poly1305_state in, out;
};

bool weft_wire_can_seal(void)
{
	return sodium_init() >= 0;
}

const char *weft_wire_library(void)
{
	static char text[64];
	snprintf(text, sizeof text, "libsodium %s", sodium_version_string());
	return text;
}

void weft_secret_wipe(struct weft_secret *s)
{
	sodium_memzero(s, sizeof *s);
}

int wire_seal_new(struct wire_seal **out, const struct weft_secret *s)
{
	*out = NULL;
	if (sodium_init() < 0)
		return -ENOTSUP;
	struct wire_seal *k = calloc(1, sizeof *k);
	if (!k)
		return -ENOMEM;
	k->secret = *s;
	crypto_kx_keypair(k->pub, k->priv);
	*out = k;
	return 0;
}

void wire_seal_free(struct wire_seal *k)
{
	if (!k)
		return;
	sodium_memzero(k, sizeof *k);
	free(k);
}

struct seal_text {
	const unsigned char *at;
	size_t n;
};

/* The hash of a word and two texts, keyed by the secret. */
static void prove(const struct wire_seal *k, const char *word, struct seal_text a, struct seal_text b, unsigned char out[PROOF])
{
	crypto_generichash_state h;
	crypto_generichash_init(&h, k->secret.byte, sizeof k->secret.byte, PROOF);
	crypto_generichash_update(&h, (const unsigned char *)word, strlen(word) + 1);
	crypto_generichash_update(&h, a.at, a.n);
	crypto_generichash_update(&h, b.at, b.n);
	crypto_generichash_final(&h, out, PROOF);
}

/* The key of one direction: of the ephemeral keys, and of the secret, too. */
static void session_key(const struct wire_seal *k, const char *word, const unsigned char shared[KEY], unsigned char out[KEY])
{
	prove(k, word, (struct seal_text){shared, KEY}, (struct seal_text){k->hello, sizeof k->hello}, out);
}

int wire_seal_hello(struct wire_seal *k, unsigned char out[WIRE_HELLO_BYTES])
{
	memcpy(out, wire_magic, 8);
	memcpy(out + 8, k->pub, KEY);
	prove(k, "hello", (struct seal_text){out, 8 + KEY}, (struct seal_text){NULL, 0}, out + 8 + KEY);
	memcpy(k->hello, out, sizeof k->hello);
	return 0;
}

int wire_seal_reply(struct wire_seal *k, const unsigned char hello[WIRE_HELLO_BYTES], unsigned char out[WIRE_REPLY_BYTES])
{
	unsigned char proof[PROOF], rx[KEY], tx[KEY], key[KEY];
	prove(k, "hello", (struct seal_text){hello, 8 + KEY}, (struct seal_text){NULL, 0}, proof);
	if (sodium_memcmp(proof, hello + 8 + KEY, PROOF) != 0)
		return -EBADMSG;
	memcpy(k->hello, hello, sizeof k->hello);
	if (crypto_kx_server_session_keys(rx, tx, k->pub, k->priv, hello + 8) != 0)
		return -EBADMSG;
	session_key(k, "to client", tx, key);
	crypto_secretstream_xchacha20poly1305_init_push(&k->out, out + KEY, key);
	session_key(k, "to server", rx, k->priv); /* kept until the client's header is there */
	memcpy(out, k->pub, KEY);
	prove(k, "reply", (struct seal_text){k->hello, sizeof k->hello}, (struct seal_text){out, KEY + HEADER},
	      out + KEY + HEADER);
	sodium_memzero(rx, sizeof rx);
	sodium_memzero(tx, sizeof tx);
	sodium_memzero(key, sizeof key);
	return 0;
}

static const unsigned char no_length[4];

int wire_seal_confirm(struct wire_seal *k, const unsigned char reply[WIRE_REPLY_BYTES], unsigned char out[WIRE_CONFIRM_BYTES])
{
	unsigned char proof[PROOF], rx[KEY], tx[KEY], key[KEY];
	prove(k, "reply", (struct seal_text){k->hello, sizeof k->hello}, (struct seal_text){reply, KEY + HEADER}, proof);
	if (sodium_memcmp(proof, reply + KEY + HEADER, PROOF) != 0)
		return -EBADMSG;
	if (crypto_kx_client_session_keys(rx, tx, k->pub, k->priv, reply) != 0)
		return -EBADMSG;
	session_key(k, "to client", rx, key);
	int bad = crypto_secretstream_xchacha20poly1305_init_pull(&k->in, reply + KEY, key);
	session_key(k, "to server", tx, key);
	crypto_secretstream_xchacha20poly1305_init_push(&k->out, out, key);
	memcpy(out + HEADER, no_length, sizeof no_length);
	bad |= wire_seal_close(k, out + HEADER + 4, (const unsigned char *)"", 0, no_length);
	sodium_memzero(k->priv, sizeof k->priv);
	sodium_memzero(rx, sizeof rx);
	sodium_memzero(tx, sizeof tx);
	sodium_memzero(key, sizeof key);
	return bad ? -EBADMSG : 0;
}

int wire_seal_confirmed(struct wire_seal *k, const unsigned char confirm[WIRE_CONFIRM_BYTES])
{
	unsigned char nothing[1];
	int bad = crypto_secretstream_xchacha20poly1305_init_pull(&k->in, confirm, k->priv);
	sodium_memzero(k->priv, sizeof k->priv);
	if (bad || memcmp(confirm + HEADER, no_length, sizeof no_length) != 0)
		return -EBADMSG;
	return wire_seal_open(k, nothing, confirm + HEADER + 4, WIRE_SEAL_BYTES, no_length);
}

int wire_seal_close(struct wire_seal *k, unsigned char *out, const unsigned char *in, size_t n, const unsigned char length[4])
{
	int bad = crypto_secretstream_xchacha20poly1305_push(&k->out, out, NULL, in, n, length, 4,
	                                                     crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
	return bad ? -EBADMSG : 0;
}

int wire_seal_open(struct wire_seal *k, unsigned char *out, const unsigned char *in, size_t n, const unsigned char length[4])
{
	unsigned char tag;
	if (n < WIRE_SEAL_BYTES || crypto_secretstream_xchacha20poly1305_pull(&k->in, out, NULL, &tag, in, n, length, 4) != 0)
		return -EBADMSG;
	return 0;
}

void wire_seal_give(const struct wire_seal *k, unsigned char out[WIRE_SEAL_STATE_BYTES])
{
	memcpy(out, &k->in, sizeof k->in);
	memcpy(out + sizeof k->in, &k->out, sizeof k->out);
}

int wire_seal_take(struct wire_seal **out, const unsigned char state[WIRE_SEAL_STATE_BYTES])
{
	struct wire_seal *k = *out = calloc(1, sizeof *k);
	if (!k)
		return -ENOMEM;
	memcpy(&k->in, state, sizeof k->in);
	memcpy(&k->out, state + sizeof k->in, sizeof k->out);
	return 0;
}
