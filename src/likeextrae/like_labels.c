/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of numbers and labels (like_labels.def), and ways through them. */
#include "like_priv.h"
#include <stdlib.h>
#include <string.h>

/* A row is a type, or a value of the last one. */
static const struct row {
	uint32_t number;
	bool is_type;
	const char *label;
} rows[] = {
#define EXTRAE_TYPE(number, label) {number, true, label},
#define EXTRAE_VALUE(number, label) {number, false, label},
#include "like_labels.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static unsigned find_type(uint32_t type)
{
	unsigned i = 0;
	while (i < ROWS && !(rows[i].is_type && rows[i].number == type))
		i++;
	return i;
}

const char *extrae_type_label(uint32_t type)
{
	unsigned i = find_type(type);
	return i < ROWS ? rows[i].label : NULL;
}

int extrae_each_value(uint32_t type, int (*call)(void *arg, int64_t value, const char *label), void *arg)
{
	int rc = 0;
	for (unsigned i = find_type(type) + 1; i < ROWS && !rows[i].is_type && !rc; i++)
		rc = call(arg, rows[i].number, rows[i].label);
	return rc;
}

static bool find_label(const char *name, uint32_t *type, int64_t *value)
{
	uint32_t of = 0;
	for (unsigned i = 0; i < ROWS; i++) {
		if (rows[i].is_type)
			of = rows[i].number;
		else if (of >= 50000001 && of <= 50000005 && !strcmp(rows[i].label, name)) {
			*type = of;
			*value = rows[i].number;
			return true;
		}
	}
	return false;
}

/* Forms of MPI-4 with wide counts have the numbers of the others; MPI_Init_thread has that of MPI_Init. */
bool extrae_mpi_value(const char *name, uint32_t *type, int64_t *value)
{
	char plain[64];
	size_t n = strlen(name);
	if (n >= sizeof plain)
		return false;
	if (!strcmp(name, "MPI_Init_thread"))
		return find_label("MPI_Init", type, value);
	memcpy(plain, name, n + 1);
	if (n > 2 && !strcmp(plain + n - 2, "_c"))
		plain[n - 2] = '\0';
	return find_label(plain, type, value);
}
