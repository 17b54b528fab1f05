/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .eh_frame_hdr and .eh_frame: the function that an address lies in, and the program that says where its caller's registers are.
 *
 *     hdr: version 1, three encodings, address of .eh_frame, number of functions, then a sorted table of
 *          (first address, address of the FDE), both 32 bits and relative to hdr
 *
 * That is what linkers of the last twenty years make; other encodings of the table are taken for no table. Nothing is believed: every
 * read is checked against the object's bytes.
 */
#include "unwind_priv.h"
#include <string.h>

enum {
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_FORM = 0x0f,
	PE_BASE = 0x70,
	PE_OMIT = 0xff,
};

uint64_t unwind_get(struct unwind_cursor *c, unsigned bytes)
{
	uint64_t v = 0;
	if (c->bad || (size_t)(c->to - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)c->at[i] << 8 * i;
	c->at += bytes;
	return v;
}

uint64_t unwind_get_uleb(struct unwind_cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = unwind_get(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if (c->bad || !(byte & 0x80))
			return v;
	}
}

int64_t unwind_get_sleb(struct unwind_cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint64_t byte = unwind_get(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
		if (c->bad || !(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				v |= ~UINT64_C(0) << shift;
			return (int64_t)v;
		}
	}
}

uint64_t unwind_get_encoded(struct unwind_cursor *c, uint8_t encoding, uint64_t hdr)
{
	uint64_t here = (uint64_t)(uintptr_t)c->at, v;
	switch (encoding & PE_FORM) {
	case PE_UDATA2:
		v = unwind_get(c, 2);
		break;
	case PE_SDATA2:
		v = (uint64_t)(int16_t)unwind_get(c, 2);
		break;
	case PE_UDATA4:
		v = unwind_get(c, 4);
		break;
	case PE_SDATA4:
		v = (uint64_t)(int32_t)unwind_get(c, 4);
		break;
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		v = unwind_get(c, 8);
		break;
	default:
		c->bad = true;
		return 0;
	}
	uint8_t base = encoding & PE_BASE;
	if (base != 0 && base != PE_PCREL && base != PE_DATAREL)
		c->bad = true;
	return v + (base == PE_PCREL ? here : base == PE_DATAREL ? hdr : 0);
}

/* The length in front of a CIE or FDE; what follows it is all that the cursor still has. */
static bool table_begin(const struct unwind_bytes *in, const uint8_t *at, struct unwind_cursor *c)
{
	if (at < in->from || at >= in->to)
		return false;
	*c = (struct unwind_cursor){at, in->to, false};
	uint64_t bytes = unwind_get(c, 4);
	if (bytes == 0xffffffff)
		bytes = unwind_get(c, 8);
	if (c->bad || bytes == 0 || bytes > (uint64_t)(c->to - c->at))
		return false;
	c->to = c->at + bytes;
	return true;
}

/* What the letters of its augmentation announce. False: one that we do not know, in front of what we need. */
static bool cie_letters(struct unwind_cursor *c, const uint8_t *letter, struct unwind_cie *out)
{
	out->has_data = *letter == 'z';
	if (!out->has_data)
		return *letter == 0;
	uint64_t bytes = unwind_get_uleb(c);
	if (c->bad || bytes > (uint64_t)(c->to - c->at))
		return false;
	const uint8_t *end = c->at + bytes;
	for (letter++; *letter && !c->bad; letter++) {
		if (*letter == 'R') {
			out->encoding = (uint8_t)unwind_get(c, 1);
		} else if (*letter == 'P') {
			uint8_t encoding = (uint8_t)unwind_get(c, 1);
			(void)unwind_get_encoded(c, encoding, 0);
		} else if (*letter == 'L') {
			(void)unwind_get(c, 1);
		} else if (*letter == 'S') {
			out->signal = true;
		} else {
			return false;
		}
	}
	c->at = end;
	return true;
}

static bool cie_read(const struct unwind_bytes *in, const uint8_t *at, struct unwind_cie *out)
{
	struct unwind_cursor c;
	*out = (struct unwind_cie){.encoding = PE_ABSPTR};
	if (!table_begin(in, at, &c) || unwind_get(&c, 4) != 0)
		return false;
	uint64_t version = unwind_get(&c, 1);
	const uint8_t *letter = c.at, *end = c.at < c.to ? memchr(c.at, 0, (size_t)(c.to - c.at)) : NULL;
	if (!end || (version != 1 && version != 3 && version != 4))
		return false;
	c.at = end + 1;
	if (version == 4 && unwind_get(&c, 2) != 8) /* bytes of an address, and of a segment: none */
		return false;
	out->code_align = unwind_get_uleb(&c);
	out->data_align = unwind_get_sleb(&c);
	uint64_t ra = version == 1 ? unwind_get(&c, 1) : unwind_get_uleb(&c);
	if (!cie_letters(&c, letter, out) || c.bad || ra != UNWIND_IP)
		return false;
	out->program = c.at;
	out->program_end = c.to;
	return true;
}

bool unwind_fde_read(const struct unwind_bytes *in, const uint8_t *at, struct unwind_fde *out)
{
	struct unwind_cursor c;
	if (!table_begin(in, at, &c))
		return false;
	const uint8_t *here = c.at;
	uint64_t back = unwind_get(&c, 4);
	if (c.bad || back == 0 || back > (uint64_t)(here - in->from) || !cie_read(in, here - back, &out->cie))
		return false;
	out->begin = unwind_get_encoded(&c, out->cie.encoding, 0);
	out->bytes = unwind_get_encoded(&c, out->cie.encoding & PE_FORM, 0);
	if (out->cie.has_data) {
		uint64_t skip = unwind_get_uleb(&c);
		if (c.bad || skip > (uint64_t)(c.to - c.at))
			return false;
		c.at += skip;
	}
	out->program = c.at;
	out->program_end = c.to;
	return !c.bad;
}

static int32_t table_word(const uint8_t *at)
{
	int32_t v;
	memcpy(&v, at, sizeof v);
	return v;
}

bool unwind_table_find(const struct unwind_bytes *in, const uint8_t *hdr, uint64_t ip, struct unwind_fde *out)
{
	struct unwind_cursor c = {hdr, in->to, false};
	uint64_t base = (uint64_t)(uintptr_t)hdr;
	if (hdr < in->from || hdr >= in->to || unwind_get(&c, 1) != 1)
		return false;
	uint8_t frame = (uint8_t)unwind_get(&c, 1), count = (uint8_t)unwind_get(&c, 1), table = (uint8_t)unwind_get(&c, 1);
	if (c.bad || frame == PE_OMIT || count == PE_OMIT || table != (PE_DATAREL | PE_SDATA4))
		return false;
	(void)unwind_get_encoded(&c, frame, base);
	uint64_t n = unwind_get_encoded(&c, count, base);
	if (c.bad || n == 0 || n > (uint64_t)(c.to - c.at) / 8)
		return false;
	uint64_t low = 0, high = n; /* the first whose function begins behind ip is in (low, high] */
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		if (base + (uint64_t)(int64_t)table_word(c.at + 8 * middle) <= ip)
			low = middle;
		else
			high = middle;
	}
	const uint8_t *fde = hdr + table_word(c.at + 8 * low + 4);
	return unwind_fde_read(in, fde, out) && ip >= out->begin && ip - out->begin < out->bytes;
}
