/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that others read, a row each; those that are a few lines of text are written here. */
#include "profile_priv.h"
#include "base/json.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct weft_profile_format weft_profile_formats[] = {
	{"svg", ".svg", "flame graph, a picture to look into with any browser", profile_write_flame, false},
	{"folded", ".folded .txt", "a line for each stack, as scripts for flame graphs read", profile_write_folded, false},
	{"pprof", ".pb.gz .pprof", "protobuf of pprof, packed by gzip", profile_write_pprof, true},
	{"speedscope", ".json", "speedscope's JSON", profile_write_speedscope, false},
	{NULL, NULL, NULL, NULL, false},
};

static bool ends_so(const char *path, const char *suffixes)
{
	struct weft_str rest = weft_str(suffixes), one;
	size_t n = strlen(path);
	while (rest.n && weft_str_cut(&rest, ' ', &one))
		if (n > one.n && !strncmp(path + n - one.n, one.at, one.n))
			return true;
	return false;
}

const struct weft_profile_format *weft_profile_format_find(const char *name, const char *path)
{
	for (const struct weft_profile_format *f = weft_profile_formats; f->name; f++)
		if (name ? !strcmp(name, f->name) : ends_so(path, f->suffix))
			return f;
	return NULL;
}

/* ---- folded stacks: "main;solve;norm 17" ---- */

/* A semicolon would part a name in two. */
static void put_folded_name(const struct weft_profile *p, uint32_t node, FILE *to)
{
	for (const char *z = weft_profile_name(p, node); *z; z++)
		fputc(*z == ';' ? ',' : *z, to);
	if (p->node[node].line)
		fprintf(to, ":%u", p->node[node].line);
}

int profile_write_folded(const struct weft_profile *p, const char *title, FILE *to)
{
	WEFT_VEC(uint32_t) way = {0};
	int rc = 0;
	(void)title;
	for (uint32_t i = 1; i < p->n_nodes && !rc; i++) {
		if (!p->node[i].self)
			continue;
		way.n = 0;
		for (uint32_t k = i; k && !rc; k = p->node[k].parent)
			rc = weft_vec_push(&way, k);
		for (size_t k = way.n; k-- > 0 && !rc;) {
			put_folded_name(p, way.at[k], to);
			fputc(k ? ';' : ' ', to);
		}
		fprintf(to, "%" PRIu64 "\n", p->node[i].self);
	}
	free(way.at);
	return rc;
}

/* ---- speedscope ---- */

static uint32_t frame_of(const struct weft_profile *p, const struct weft_map *frames, uint32_t node)
{
	uint64_t at = 0;
	weft_map_get(frames, (uint64_t)p->node[node].function << 32 | p->node[node].line, &at);
	return (uint32_t)at;
}

static int put_frames(const struct weft_profile *p, struct weft_json *j, struct weft_map *frames)
{
	uint64_t n = 0, at;
	weft_json_key(j, "shared");
	weft_json_object(j);
	weft_json_key(j, "frames");
	weft_json_array(j);
	for (uint32_t i = 1; i < p->n_nodes; i++) {
		const struct weft_profile_node *node = &p->node[i];
		uint64_t key = (uint64_t)node->function << 32 | node->line;
		if (weft_map_get(frames, key, &at))
			continue;
		if (weft_map_put(frames, key, n++))
			return -ENOMEM;
		weft_json_object(j);
		weft_json_key(j, "name");
		weft_json_string(j, weft_profile_name(p, i));
		if (node->file) {
			weft_json_key(j, "file");
			weft_json_string(j, weft_symbols_text(p->symbols, node->file));
		}
		if (node->line) {
			weft_json_key(j, "line");
			weft_json_u64(j, node->line);
		}
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_end(j);
	return 0;
}

static int put_samples(const struct weft_profile *p, struct weft_json *j, const struct weft_map *frames)
{
	WEFT_VEC(uint32_t) way = {0};
	int rc = 0;
	weft_json_key(j, "samples");
	weft_json_array(j);
	for (uint32_t i = 1; i < p->n_nodes && !rc; i++) {
		if (!p->node[i].self)
			continue;
		way.n = 0;
		for (uint32_t k = i; k && !rc; k = p->node[k].parent)
			rc = weft_vec_push(&way, k);
		weft_json_array(j);
		for (size_t k = way.n; k-- > 0;)
			weft_json_u64(j, frame_of(p, frames, way.at[k]));
		weft_json_end(j);
	}
	weft_json_end(j);
	free(way.at);
	weft_json_key(j, "weights");
	weft_json_array(j);
	for (uint32_t i = 1; i < p->n_nodes; i++)
		if (p->node[i].self)
			weft_json_u64(j, p->node[i].self);
	weft_json_end(j);
	return rc;
}

int profile_write_speedscope(const struct weft_profile *p, const char *title, FILE *to)
{
	struct weft_json j;
	struct weft_map frames = {0};
	weft_json_init(&j, to, false);
	weft_json_object(&j);
	weft_json_key(&j, "$schema");
	weft_json_string(&j, "https://www.speedscope.app/file-format-schema.json");
	weft_json_key(&j, "exporter");
	weft_json_string(&j, "weft");
	weft_json_key(&j, "name");
	weft_json_string(&j, title);
	int rc = put_frames(p, &j, &frames);
	weft_json_key(&j, "profiles");
	weft_json_array(&j);
	weft_json_object(&j);
	weft_json_key(&j, "type");
	weft_json_string(&j, "sampled");
	weft_json_key(&j, "name");
	weft_json_string(&j, title);
	weft_json_key(&j, "unit");
	weft_json_string(&j, p->of == WEFT_PROFILE_SAMPLES ? "none" : "nanoseconds");
	weft_json_key(&j, "startValue");
	weft_json_u64(&j, 0);
	weft_json_key(&j, "endValue");
	weft_json_u64(&j, p->node[0].total);
	if (!rc)
		rc = put_samples(p, &j, &frames);
	weft_json_end(&j);
	weft_json_end(&j);
	weft_json_end(&j);
	fputc('\n', to);
	weft_map_fini(&frames);
	return rc;
}
