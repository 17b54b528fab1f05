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

# cfg | to: the view as text, and from that as a .cfg again
# shellcheck disable=SC2317 # xargs calls it
convert_one()
{
	mkdir -p "${2%/*}"
	if grep -q ', Adding Sign}' "$1" || ! "$weft" view convert -q "$1" -o "$2.view" 2>/dev/null; then
		cp "$1" "$2"
	elif ! "$weft" view convert -q "$2.view" -o "$2"; then
		echo "not ok - $1 does not come back"
		return 1
	fi
}
export -f convert_one
export weft

# from | to: a folder of cases with its views converted
convert()
{
	mkdir -p "$2"
	ln -s "$1/traces" "$1/expected" "$1/index.tsv" "$2"
	# shellcheck disable=SC2016 # the inner shell expands it
	(cd "$1/views" && find . -name '*.cfg') |
		xargs -P "$(nproc)" -d '\n' -I{} bash -c 'convert_one "$1/views/$3" "$2/views/$3"' _ "$1" "$2" {} || failed=1
}

convert "$source/tests/golden/paraver" "$work/tree/tests/golden/paraver"
shared=$(cd "${SHARED:-$source/../shared}" 2>/dev/null && pwd)
if [ -n "$shared" ] && [ -f "$shared/data/paraver/index.tsv" ]; then
	convert "$shared/data/paraver" "$work/shared/data/paraver"
fi
# That all traces say the same of a view is equality.sh's; WEFT_TIER=long asks them all.
[ "${WEFT_TIER:-full}" = long ] || export ONCE=1
WEFT_SOURCE=$work/tree WEFT_BUILD=$build SHARED=$work/shared bash "$source/tests/compat/equality.sh" || failed=1
exit $failed
