/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph as a page: one file with its data, script and style, which loads nothing. The policy at its top lets just this script and this style run, by
 * their hashes; data are JSON in which no `<` stands, so that no name can end the element that holds it.
 */
#include "graph_page.h"
#include "render/draw/svg.h"
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* The source of CSP for an element with this text. */
static void put_hash(struct weft_buf *out, const char *text)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	char base64[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
	crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
	sodium_bin2base64(base64, sizeof base64, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
	weft_buf_printf(out, "'sha256-%s'", base64);
}

static void put_frame(struct weft_buf *out, const struct graph_view *v, const struct graph_how *how, const char *json, size_t n)
{
	char title[600], words[300];
	graph_title(v, how, title, sizeof title);
	graph_words(v, words, sizeof words);
	weft_buf_puts(
		out,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; script-src ");
	put_hash(out, graph_page_js);
	weft_buf_puts(out, "; style-src ");
	put_hash(out, graph_page_css);
	weft_buf_puts(
		out,
		"\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	svg_escaped(out, title, 0);
	weft_buf_puts(out, "</title>\n<style>");
	weft_buf_puts(out, graph_page_css);
	weft_buf_puts(out, "</style>\n</head>\n<body>\n<header><h1>");
	svg_escaped(out, title, 0);
	weft_buf_puts(out, "</h1><span class=\"soft\">");
	svg_escaped(out, words, 0);
	weft_buf_puts(out,
	              "</span><span class=\"grow\"></span><span class=\"soft\" id=\"found\"></span>"
	              "<input id=\"find\" type=\"search\" placeholder=\"find a task (/)\" aria-label=\"find a task\">"
	              "<button id=\"all\">overview</button><button id=\"fit\">whole width</button></header>\n"
	              "<main id=\"map\"></main>\n<aside id=\"side\"></aside>\n<script type=\"application/json\" id=\"data\">");
	for (size_t k = 0; k < n; k++) {
		const char *at = memchr(json + k, '<', n - k);
		size_t plain = at ? (size_t)(at - json) - k : n - k;
		weft_buf_add(out, json + k, plain);
		if (at)
			weft_buf_puts(out, "\\u003c");
		k += plain;
	}
	weft_buf_puts(out, "</script>\n<script type=\"module\">");
	weft_buf_puts(out, graph_page_js);
	weft_buf_puts(out, "</script>\n</body>\n</html>\n");
}

int graph_page(struct weft_buf *out, const struct graph_view *v, const struct graph_how *how)
{
	struct weft_json j;
	char *json = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&json, &n);
	if (!to)
		return -ENOMEM;
	weft_json_init(&j, to, false);
	int rc = graph_data(&j, v, how);
	if (fclose(to) && !rc)
		rc = -ENOMEM;
	if (!rc)
		put_frame(out, v, how, json, n);
	free(json);
	return rc ? rc : out->failed ? -ENOMEM : 0;
}
