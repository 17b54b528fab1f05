/* SPDX-License-Identifier: Apache-2.0 */
/* `weft files estimate`, starpu_tasks_rec_complete: tasks.rec with the times that models say, which src/cli/model knows. */
#include "files_cli.h"
#include "base/log.h"
#include "cli/model/model_cli.h"
#include <string.h>
#include <unistd.h>

int files_estimate(const struct files_args *a, char **operand, int n)
{
	struct model_args m = {.common = a->common};
	const char *output = n > 1 ? operand[1] : a->output;
	if (output && !a->force && strcmp(output, "-") != 0 && access(output, F_OK) == 0) {
		weft_log(WEFT_LOG_ERROR, "'%s' is there already (--force replaces it)", output);
		return CLI_USAGE;
	}
	return model_complete(&m, n > 0 ? operand[0] : "-", output);
}
