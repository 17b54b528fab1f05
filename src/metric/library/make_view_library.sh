#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a C file of the views of the library: usage: make_view_library.sh OUT VIEW…
set -eu
out=$1
shift
{
	printf '#include "metric/library/library.h"\n\nconst struct weft_library_view weft_view_library[] = {\n'
	for view; do
		name=${view##*/}
		printf '\t{"%s",\n' "${name%.view}"
		sed -e '/^# SPDX/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' -e 's/.*/\t "&\\n"/' "$view"
		printf '\t},\n'
	done
	printf '\t{0, 0},\n};\n'
} >"$out"
