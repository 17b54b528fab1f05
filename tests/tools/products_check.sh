#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whether the files of a folder have the forms that tests/golden/products says: fields in their order, values, lines, what paje.trace
# defines. What they do not have is printed, a line each. Works on StarPU's own files, too (all but colours of kinds of tasks).
# usage: products_check.sh FOLDER
set -u
golden=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/products
cd "$1" || exit 1

awk -F'\t' '!/^#/ {print $1}' "$golden/fields" | sort -u | while read -r file; do
	[ -e "$file" ] || { echo "$file: is not there"; continue; }
	awk -v file="$file" '
		NR == FNR { if (split($0, f, "\t") == 4 && f[1] == file) { name[++n] = f[2]; always[n] = f[3]; value[n] = f[4] } next }
		function ends(i) {
			if (records_open)
				for (i = at + 1; i <= n; i++)
					if (always[i]) print file ":" FNR ": a record without " name[i]
			at = records_open = 0
		}
		/^#/ { next }
		/^$/ { ends(); next }
		{
			i = index($0, ":"); word = substr($0, 1, i - 1); text = substr($0, i + 2); records_open = 1
			for (was = at++; at <= n && name[at] != word; at++)
				if (always[at]) print file ":" FNR ": " name[at] " is missing"
			if (at > n) { print file ":" FNR ": " word " is not known, or not in its place"; at = was }
			else if (text !~ "^" value[at] "$") print file ":" FNR ": " word " is \"" text "\""
		}
		END { ends() }' FS='\n' "$golden/fields" "$file"
done
awk -F'\t' '!/^#/ {print $1}' "$golden/lines" | sort -u | while read -r file; do
	[ -e "$file" ] || continue
	awk -v file="$file" '
		NR == FNR { i = index($0, "\t"); if (substr($0, 1, i - 1) == file) form[++n] = substr($0, i + 1); next }
		{ for (i = 1; i <= n; i++) if ($0 ~ "^" form[i] "$") next; print file ":" FNR ": " $0 }' "$golden/lines" "$file"
done
[ -e paje.trace ] || exit 0
awk '/^%EventDef/ {e = $3 " " $2; next} /^%EndEventDef/ {print e, f; f = ""} /^%\t/ {f = f (f ? "," : "") $2}' paje.trace |
	sort >"${TMPDIR:-/tmp}/events.$$"
grep -v '^#' "$golden/paje_events" | sort | comm -23 - "${TMPDIR:-/tmp}/events.$$" | sed 's/^/paje.trace: no line /'
awk '/^6[ \t]/ {match($0, /"[0-9.][0-9. ]*"[ \t]*$/); c = substr($0, RSTART + 1); sub(/".*/, "", c); t = $3; a = $2; n = $0
	sub(/^6[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+/, "", n); sub(/[ \t]*"[0-9.][0-9. ]*"[ \t]*$/, "", n); gsub(/"/, "", n)
	print t "\t" a "\t" n "\t" c}' paje.trace | sort >"${TMPDIR:-/tmp}/values.$$"
grep -v '^#' "$golden/paje_values" | sort | comm -23 - "${TMPDIR:-/tmp}/values.$$" | sed 's/^/paje.trace: no value /'
awk '/^[1-5][ \t]/ {match($0, /"[^"]*"/); print $1 "\t" $2 "\t" $3 "\t" substr($0, RSTART + 1, RLENGTH - 2)}' paje.trace | sort >"${TMPDIR:-/tmp}/types.$$"
grep -v '^#' "$golden/paje_types" | sort | comm -23 - "${TMPDIR:-/tmp}/types.$$" | sed 's/^/paje.trace: no type /'
rm -f "${TMPDIR:-/tmp}/"{events,values,types}.$$
