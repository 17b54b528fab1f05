#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For scripts that print TAP; they are read into them. What a test shows when it fails are the ends of the files in `shown`.
count=0
shown=()

# is WHAT GOT EXPECTED
is()
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		echo "# expected '$3', got '$2'"
		tail -n 40 -- "${shown[@]}" 2>&1 | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}

skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}
