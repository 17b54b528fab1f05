## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang
## tags: builds=release,debug timeout=120
## --bursts of a program with OpenMP: computation that lasts, and statistics of what lies between, against what its threads count.
$ cat >omp.c <<'END'
> #include <omp.h>
> #include <stdio.h>
> #include <time.h>
> enum { REGIONS = 20, BARRIERS = 3, CHUNKS = 40 };
> static volatile unsigned long sum;
> static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
> static double compute(double s) { double begin = now(); for (double end = begin + s; now() < end;) for (int i = 0; i < 100; i++) sum += i; return now() - begin; }
> static struct { double work; long chunks; char apart[112]; } of[2];
> int main(void)
> {
> 	double begin = now();
> 	for (int step = 0; step < 3; step++) {
> 		compute(0.06);
> 		for (int r = 0; r < REGIONS; r++) {
> 			#pragma omp parallel num_threads(2)
> 			{
> 				int me = omp_get_thread_num();
> 				for (int b = 0; b < BARRIERS; b++) {
> 					of[me].work += compute(0.0001);
> 					#pragma omp barrier
> 				}
> 				#pragma omp for schedule(dynamic)
> 				for (int i = 0; i < CHUNKS; i++) {
> 					of[me].chunks++;
> 					of[me].work += compute(0.00001);
> 				}
> 				of[me].work += compute(0.00001);
> 			}
> 		}
> 	}
> 	#pragma omp parallel num_threads(2)
> 	compute(0.06);
> 	for (int i = 0; i < 2; i++)
> 		printf("%d %ld %.0f %.0f\n", i + 1, of[i].chunks, of[i].work * 1e9, (now() - begin) * 1e9);
> }
> END
$ for cc in gcc clang; do $cc -fopenmp -O1 omp.c -o omp.$cc && weft record -q --bursts 30ms --off io,threads,samples -o $cc.weft ./omp.$cc >/dev/null; weft check -q $cc.weft; weft dump $cc.weft >$cc.txt; grep -v 'omp idle' $cc.txt | grep -c ' omp '; awk '$3 == "enter" && $4 == "OpenMP" {n[$2]++} END {for (t in n) {seen++; bad += n[t] < 2} print seen, bad + 0}' $cc.txt; done
0
2 0
0
2 0

## Of which nothing lasts long enough to be a burst: all is counted. Each region has four barriers (one of them the loop's); the first thread waits at its end, too.
$ cat >look.awk <<'END'
> NR == FNR { chunks[$1] = $2; work[$1] = $3; all = $4; next }
> { n = split($0, f, ":") }
> f[1] == 2 { for (i = 7; i < n; i += 2) { v[f[5], f[i]] += f[i + 1]; if (f[i] == 40000018) mode = f[i + 1] } }
> END { for (k in v) { split(k, at, SUBSEP); if (at[2] == 54000104) thread[++n_threads] = at[1] }
> 	for (k = 1; k <= 2; k++) {
> 		t = thread[k]; first = t == 1; me = first ? 1 : 2
> 		useful = v[t, 54000100]; in_sync = v[t, 54000101]; over = v[t, 54000102]
> 		print mode, v[t, 54000104] - 3 * 20 * (first ? 5 : 4) - first, (v[t, 54000103] >= chunks[me] + 3 * 20 * 4), (useful >= 0.98 * work[me]), (useful + in_sync + over < all), (v[t, 54000105] >= chunks[me]) } }
> END
$ for cc in gcc clang; do weft record -q --bursts 100s --off io,threads,samples -o all.$cc.weft ./omp.$cc >$cc.truth; weft convert --like extrae all.$cc.weft $cc.prv; awk -f look.awk $cc.truth $cc.prv; done
2 0 1 1 1 1
2 0 1 1 1 1
2 0 1 1 1 1
2 0 1 1 1 1
