#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What BSC's tools computed of their own traces, in data beside the project: files of BurstClustering byte for byte, curves and statistics of Folding,
# the period of Spectral.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
weft=$build/weft
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
data=$(cd "${SHARED:-$source/../shared}/data/structure" 2>/dev/null && pwd) || skip 'no data of BSC tools beside the project'
command -v zstd >/dev/null || skip 'no zstd'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

same()
{
	cmp -s "$1" "$2" && echo same || echo different
}

# The largest difference of the last column of two files of "region;group;counter;x;value", for what both have; relative when $3 is.
difference()
{
	awk -F';' -v relative="$3" 'FNR == NR { a[$3 ";" $4] = $5; next }
		{ n++; d = a[$3 ";" $4] - $5; d = d < 0 ? -d : d; if (relative && $5 != 0) d /= $5 < 0 ? -$5 : $5; if (d > most) most = d }
		END { print ((n > 0 && most < 0.00001) ? "within 1e-5" : n " lines, off by " most) }' "$1" "$2"
}

for name in cluster/stencil8c.prv cluster/expected/stencil8c.clustered.prv folding/444.namd.prv; do
	zstd -dqfc "$data/$name.zst" >"${name##*/}.${name%%/*}" || exit 1
done
mv stencil8c.prv.cluster stencil8c.prv
mv stencil8c.clustered.prv.cluster expected.prv
mv 444.namd.prv.folding namd.prv
cp "$data/cluster/stencil8c.pcf" "$data/cluster/stencil8c.row" .
cp "$data/folding/444.namd.pcf" namd.pcf
cp "$data/folding/444.namd.row" namd.row
ln -s "$weft" BurstClustering

./BurstClustering -s -d "$data/cluster/dbscan.xml" -i stencil8c.prv -o stencil8c.clustered.prv
for end in DATA.csv clusters_info.csv IPC.PAPI_TOT_INS.gnuplot row; do
	is "stencil8c.clustered.$end" "$(same "stencil8c.clustered.$end" "$data/cluster/expected/stencil8c.clustered.$end")" same
done
is 'stencil8c.clustered.prv' "$(same stencil8c.clustered.prv expected.prv)" same
is 'labels' "$(grep -vc '^#' stencil8c.clustered.DATA.csv)" 217
is 'labels of clusters' "$(sed -n '/Cluster ID/,$p' stencil8c.clustered.pcf)" \
	"$(sed -n '/Cluster ID/,$p' "$data/cluster/expected/stencil8c.clustered.pcf")"

"$weft" fold -q namd.prv --region main --method kriging --counters PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L1_DCM -o namd >said
real=$data/folding/expected/444.namd.codeblocks.fused.any.any.any
is 'statistics of instances' "$(same namd.stats "$data/folding/expected/444.namd.codeblocks.fused.stats")" same
is 'which instances' "$(same namd.groups.csv "$real.groups.csv")" same
is 'curves' "$(difference namd.interpolate.csv "$real.interpolate.csv" 0)" 'within 1e-5'
is 'slopes and ratios' "$(difference namd.slope.csv "$real.slope.csv" 1)" 'within 1e-5'

is 'period of spec4' "$("$weft" phases --csv "$data/spectral/spec4.prv" | awk -F, 'NR == 2 { print int($3 / 1e6 + 0.5) " ms, " $5 }')" '221 ms, 60'
echo "1..$count"
