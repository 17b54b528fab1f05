#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a C file of what the page of `weft graph` consists of: usage: make_graph_page.sh OUT GRAPH.JS GRAPH.CSS
set -eu
{
	printf '#include "cli/graph/graph_page.h"\n'
	for file in "$2" "$3"; do
		printf '\nconst char graph_page_%s[] =\n' "${file##*.}"
		sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/\t/\\t/g' -e 's/.*/\t"&\\n"/' "$file"
		printf '\t;\n'
	done
} >"$1"
