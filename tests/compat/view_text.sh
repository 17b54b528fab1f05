#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: full timeout=900
# Every .cfg of the cases of equality.sh becomes our text and a .cfg again; what paramedir computes of those is held against
# Paraver's output once more. A .cfg that cannot be read, or that Paraver itself does not load (it names Adding Sign), stays as it is. TAP, as equality.sh prints it.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
weft=$build/weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# from | to: a folder of cases with its views converted
convert()
{
	mkdir -p "$2"
	ln -s "$1/traces" "$1/expected" "$1/index.tsv" "$2"
	while IFS= read -r cfg; do
		to=$2/views/${cfg#"$1/views/"}
		mkdir -p "${to%/*}"
		if grep -q ', Adding Sign}' "$cfg" || ! "$weft" view convert -q "$cfg" -o "$to.view" 2>/dev/null; then
			cp "$cfg" "$to"
		elif ! "$weft" view convert -q "$to.view" -o "$to"; then
			echo "not ok - $cfg does not come back"
			failed=1
		fi
	done < <(find "$1/views" -name '*.cfg')
}

convert "$source/tests/golden/paraver" "$work/tree/tests/golden/paraver"
shared=$(cd "${SHARED:-$source/../shared}" 2>/dev/null && pwd)
if [ -n "$shared" ] && [ -f "$shared/data/paraver/index.tsv" ]; then
	convert "$shared/data/paraver" "$work/shared/data/paraver"
fi
WEFT_SOURCE=$work/tree WEFT_BUILD=$build SHARED=$work/shared bash "$source/tests/compat/equality.sh" || failed=1
exit $failed
