## SPDX-License-Identifier: Apache-2.0
## tags: full timeout=180
## needs: pj_dump vite protoc jq
## A real program, recorded, converted, and read by the formats' own readers: they count what weft counts.
$ weft record -q -o heat.weft -- "$WEFT_BUILD/examples/heat" >/dev/null 2>&1
$ weft stat -q --json heat.weft | jq '[.[].calls] | add' >regions; weft info -q --json heat.weft | jq '.messages + .flows' >arrows
$ for s in paje json pftrace csv; do weft convert -q heat.weft -o heat.$s || echo "no $s"; done

$ pj_dump -l 9 heat.paje >paje.txt; echo $?
0
$ grep -c ^State, paje.txt | diff - regions; grep -c ^Link, paje.txt | diff - arrows

## The sum of the regions' times, in nanoseconds.
$ weft stat -q --json heat.weft | jq '[.[].total_ns] | add' >total
$ awk -F', ' '/^State,/ {split($6, t, "."); n += t[1] * 1000000000 + t[2]} END {printf "%.0f\n", n}' paje.txt | diff - total
$ awk -F, '$1 == "region" {n += $6 - $5} END {printf "%.0f\n", n}' heat.csv | diff - total

## ViTE exits with 0 whatever it reads.
$ QT_QPA_PLATFORM=offscreen vite -e heat.svg heat.paje 2>&1 | grep -o '0 errors and 0 warnings'
0 errors and 0 warnings
$ test "$(grep -c '<rect' heat.svg)" -gt 100

$ jq '[.traceEvents[] | select(.ph == "B")] | length' heat.json | diff - regions
$ jq '[.traceEvents[] | select(.ph == "s")] | length' heat.json | diff - arrows

$ protoc --decode_raw <heat.pftrace >pftrace.txt; echo $?
0
$ grep -c '^    9: 1$' pftrace.txt | diff - regions; grep -c '^    47: 0x' pftrace.txt | diff - arrows

## A trace written anew says the same, and so do exports that give definitions no numbers.
$ weft convert -q heat.weft -o again.weft; weft check -q again.weft; diff <(weft dump -q heat.weft) <(weft dump -q again.weft)
$ for s in json csv; do weft convert -q again.weft -o again.$s; cmp heat.$s again.$s; done

## Two halves have the time of the whole.
$ weft cut -q --time ..50% heat.weft -o one.weft; weft cut -q --time 50%.. heat.weft -o two.weft; weft check -q one.weft; weft check -q two.weft
$ { weft stat -q --json one.weft; weft stat -q --json two.weft; } | jq '.[].total_ns' | jq -s add | diff - total
