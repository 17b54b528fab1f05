/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How to read a stream without anything of Weft: prints every record of a stream file, as docs/format.md says it stands there.
 *     cc read_stream.c && ./a.out NAME.weft/HOST-PID-0.stream
 */
/* docs/format.md shows from here on */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct page { /* 4096 bytes, little endian */
	uint32_t magic;
	uint8_t type, flags;
	uint16_t zero;
	uint32_t thread, seq;
	uint64_t base;
	uint32_t used, crc;
	uint64_t word[508];
};

static void print_page(const struct page *p)
{
	uint64_t base = p->base;
	unsigned end = p->flags & 1 ? (p->used - 32) / 8 : 508, at = 0;
	while (at < end && p->word[at]) {
		uint64_t head = p->word[at++], n = head >> 8 & 15;
		if (n == 15)
			n = at < end ? p->word[at++] : end;
		if (n > end - at)
			return; /* not a record: the rest of the page is damaged */
		if ((head & 255) == 33 && n == 1)
			base = p->word[at]; /* a TIME record */
		else
			printf("thread %u ticks %llu kind %u id %u words %u\n", p->thread,
			       (unsigned long long)(base + (head >> 32)), (unsigned)(head & 255),
			       (unsigned)(head >> 12 & 0xfffff), (unsigned)n);
		at += (unsigned)n;
	}
}

int main(int argc, char **argv)
{
	static struct page p;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!f || fread(&p, 4096, 1, f) != 1 || memcmp(&p, "WEFTSTR\n", 8) != 0)
		return 1;
	while (fread(&p, 4096, 1, f) == 1) /* a real reader checks `crc`, and orders the pages of a thread by `seq` */
		if (p.magic == 0x31504657 && (p.type != 1 || p.thread) && (!(p.flags & 1) || (p.used >= 32 && p.used <= 4096)))
			print_page(&p);
	return 0;
}
