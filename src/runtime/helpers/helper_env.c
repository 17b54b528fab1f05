/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables. One whose value makes no sense ends the program: to go on with another would look as if it had counted. */
#include <starpu.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <strings.h>

static _Noreturn void refuse(const char *name, const char *value, const char *what)
{
	fprintf(stderr, "starpu: the environment variable %s is '%s', which is no %s\n", name, value, what);
	exit(EXIT_FAILURE);
}

char *starpu_getenv(const char *str)
{
	return getenv(str);
}

/* What it says, or NULL: not set, or empty. */
static const char *value_of(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static bool ends(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return !*text;
}

int starpu_get_env_number_default(const char *str, int defval)
{
	const char *value = value_of(str);
	char *end;
	if (!value)
		return defval;
	errno = 0;
	long number = strtol(value, &end, 10);
	if (end == value || !ends(end) || errno || number < INT_MIN || number > INT_MAX)
		refuse(str, value, "number");
	return (int)number;
}

int starpu_get_env_number(const char *str)
{
	return starpu_get_env_number_default(str, -1);
}

float starpu_get_env_float_default(const char *str, float defval)
{
	const char *value = value_of(str);
	char *end;
	if (!value)
		return defval;
	float number = strtof(value, &end);
	if (end == value || !ends(end) || !isfinite(number))
		refuse(str, value, "number");
	return number;
}

int starpu_get_env_size_default(const char *str, int defval)
{
	static const struct {
		char letter;
		int64_t factor;
	} units[] = {{'\0', 1024}, {'b', 1}, {'k', 1024}, {'m', 1024 * 1024}, {'g', 1024 * 1024 * 1024}};
	const char *value = value_of(str);
	char *end;
	if (!value)
		return defval;
	errno = 0;
	long number = strtol(value, &end, 10);
	if (end == value || errno || number < 0)
		refuse(str, value, "size");
	while (isspace((unsigned char)*end))
		end++;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (tolower((unsigned char)*end) != units[i].letter || (*end && !ends(end + 1)))
			continue;
		if (number > INT_MAX / units[i].factor)
			refuse(str, value, "size that an int can hold");
		return (int)(number * units[i].factor);
	}
	refuse(str, value, "size: after the number there may be b, k, m or g");
}

int starpu_get_env_string_var_default(const char *str, const char **strings, int defvalue)
{
	const char *value = getenv(str);
	if (!value)
		return defvalue;
	for (int i = 0; strings[i]; i++)
		if (strcasecmp(value, strings[i]) == 0)
			return i;
	fprintf(stderr, "starpu: the environment variable %s is '%s', and can be:", str, value);
	for (int i = 0; strings[i]; i++)
		fprintf(stderr, " %s", strings[i]);
	fprintf(stderr, "\n");
	exit(EXIT_FAILURE);
}
