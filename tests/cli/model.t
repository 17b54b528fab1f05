## SPDX-License-Identifier: Apache-2.0
## weft model: which there are, what they say, pictures, doubts, equations, records; models of a real StarPU and made ones.
$ cp "$WEFT_SOURCE/share/starpu/starpu-perfmodel.dtd" .; cp -r "$WEFT_SOURCE/tests/golden/models" m && export STARPU_PERF_MODEL_DIR="$PWD/m" STARPU_HOME="$PWD/home" STARPU_HOSTNAME=suite; unset STARPU_PERF_MODEL_PATH STARPU_CALIBRATE_MINIMUM STARPU_NCPU STARPU_NCUDA STARPU_NOPENCL; mask() { sed "s,$PWD,HERE,g"; }
## list
$ weft model list | mask
symbol                   host   kind     places                                sizes  samples  folder
chol_model_gemm          suite  history  cpu0_impl0                                1      449  HERE/m/codelets/45
chol_model_potrf         suite  history  cpu0_impl0                                1       34  HERE/m/codelets/45
doubtful                 suite  a*n^b    cpu0_impl0 cuda0_impl0 opencl1_impl0      9      804  HERE/m/codelets/45
lu_model_getrf_openblas  suite  history  cpu0_impl0                                1       15  HERE/m/codelets/45
memset                   suite  a*n^b+c  cpu0_impl0 cuda0_impl0                   18     1350  HERE/m/codelets/45
memset_energy            suite  a*n^b    cpu0_impl0                                9      180  HERE/m/codelets/45
$ weft model list --json | jq -c '.[] | [.symbol, .host, .kind, .places, .sizes, .samples]'
["chol_model_gemm","suite","history","cpu0_impl0",1,449]
["chol_model_potrf","suite","history","cpu0_impl0",1,34]
["doubtful","suite","a*n^b","cpu0_impl0 cuda0_impl0 opencl1_impl0",9,804]
["lu_model_getrf_openblas","suite","history","cpu0_impl0",1,15]
["memset","suite","a*n^b+c","cpu0_impl0 cuda0_impl0",18,1350]
["memset_energy","suite","a*n^b","cpu0_impl0",9,180]
$ weft model list --host nobody
symbol  host  kind  places  sizes  samples  folder
## show
$ weft model show memset
place        footprint     size  samples  mean (us or J)  deviation  of mean        flops  GFlop/s
cpu0_impl0   bb584d59      4096      100         2.89144   0.144572   5.00 %         8192  2.83319
cpu0_impl0   f7215ccf      8192      100         3.66349   0.183175   5.00 %        16384  4.47223
cpu0_impl0   9f25d2d1     16384      100         5.10419   0.255209   5.00 %        32768  6.41983
cpu0_impl0   fabbdf9f     32768      100         7.79262   0.389631   5.00 %        65536  8.41001
cpu0_impl0   36c7657a     65536      100         12.8094    0.64047   5.00 %       131072  10.2325
cpu0_impl0   ac493c1d    131072      100         22.1711    1.10855   5.00 %       262144  11.8237
cpu0_impl0   3304f2ec    262144      100         39.6405    1.98203   5.00 %       524288  13.2261
cpu0_impl0   59af8636    524288      100         72.2398    3.61199   5.00 %  1.04858e+06  14.5152
cpu0_impl0   8b21aaeb   1048576      100         133.072     6.6536   5.00 %  2.09715e+06  15.7595
cuda0_impl0  bb584d59      4096       50         5.04096        0.1   1.98 %         8192  1.62509
cuda0_impl0  f7215ccf      8192       50         5.08192        0.1   1.97 %        16384  3.22398
cuda0_impl0  9f25d2d1     16384       50         5.16384        0.1   1.94 %        32768  6.34567
cuda0_impl0  fabbdf9f     32768       50         5.32768        0.1   1.88 %        65536   12.301
cuda0_impl0  36c7657a     65536       50         5.65536        0.1   1.77 %       131072  23.1766
cuda0_impl0  ac493c1d    131072       50         6.31072        0.1   1.58 %       262144  41.5395
cuda0_impl0  3304f2ec    262144       50         7.62144        0.1   1.31 %       524288  68.7912
cuda0_impl0  59af8636    524288       50         10.2429        0.1   0.98 %  1.04858e+06  102.371
cuda0_impl0  8b21aaeb   1048576       50         15.4858        0.1   0.65 %  2.09715e+06  135.425
cpu0_impl0: y = 0.00600773 * size^0.707076, of 900 samples of 4096 to 1048576 bytes
cpu0_impl0: y = 0.0005 * size^0.9 + 2
cuda0_impl0: y = 0.908311 * size^0.181296, of 450 samples of 4096 to 1048576 bytes
$ weft model show memset --arch cuda --csv | head -n 3
place,footprint,size,samples,mean,deviation,deviation_percent,flops,gflops
cuda0_impl0,bb584d59,4096,50,5.04096,0.1,1.983749127150384,8192,1.6250872849615947
cuda0_impl0,f7215ccf,8192,50,5.08192,0.1,1.9677602166110446,16384,3.2239783388955354
$ weft model show chol_model_gemm -f db9db110 --json | jq -c 'del(.path)'
{"symbol":"chol_model_gemm","host":"suite","version":45,"implementations":[{"place":"cpu0_impl0","devices":[{"type":"cpu","id":0,"cores":1}],"implementation":0,"kind":"history","samples":0,"min_size":0,"max_size":0,"alpha":null,"beta":null,"a":null,"b":null,"c":null,"coefficients":[],"sizes":[{"footprint":"db9db110","size":307200,"samples":449,"mean":278.1036,"deviation":14.87788,"flops":8192000,"gflops":29.45664852954079}]}]}
$ weft model show m/codelets/45/chol_model_potrf.suite --csv
place,footprint,size,samples,mean,deviation,deviation_percent,flops,gflops
cpu0_impl0,db326755,102400,34,157.3279,23.12489,14.698530902656172,1378160,8.759794035260116
$ weft model show memset --xml | xmllint --noout --dtdvalid starpu-perfmodel.dtd - && weft model show memset --xml | head -n 14
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE StarPUPerfmodel SYSTEM "starpu-perfmodel.dtd">
<!-- symbol memset -->
<!-- All times in us -->
<perfmodel version="45">
  <combination>
    <device type="CPU" id="0" ncores="1"/>
    <implementation id="0">
      <!-- cpu0_impl0 (Comb0) -->
      <!-- time = a size ^b + c -->
      <nl_regression a="5.000000e-04" b="9.000000e-01" c="2.000000e+00"/>
      <entry footprint="bb584d59" size="4096" flops="8.192000e+03" mean="2.891444e+00" deviation="1.445722e-01" sum="2.891444e+02" sum2="8.381348e+02" nsample="100"/>
      <entry footprint="f7215ccf" size="8192" flops="1.638400e+04" mean="3.663493e+00" deviation="1.831746e-01" sum="3.663493e+02" sum2="1.345473e+03" nsample="100"/>
      <entry footprint="9f25d2d1" size="16384" flops="3.276800e+04" mean="5.104188e+00" deviation="2.552094e-01" sum="5.104188e+02" sum2="2.611786e+03" nsample="100"/>
$ weft model show memst
weft model: error: there is no performance model 'memst' of host 'suite' (did you mean 'memset'?)
? 2
$ weft model show nothing_like_it 2>&1 | mask
weft model: error: there is no performance model 'nothing_like_it' of host 'suite' in 'HERE/m/codelets/45'
$ weft model show memset -f xyz
weft model: error: expected a footprint in hexadecimal, like a3d3725e, found 'xyz'
? 2
$ weft model show memset --arch gpu
weft model: error: option '--arch': expected cpu, cpu:3 (three cores), cuda, cuda0, opencl and the like, found 'gpu'
Try 'weft model --help'.
? 2
$ weft model shw memset
weft model: error: action 'shw' (did you mean 'show'?)
Try 'weft model --help'.
? 2
$ weft model show
weft model: error: 'show' takes one model
Try 'weft model --help'.
? 2
$ weft model list memset
weft model: error: 'list' takes no operand
Try 'weft model --help'.
? 2
## check: one of each doubt
$ weft model check doubtful
model     host   place          footprint  size  doubt            why
doubtful  suite  cpu0_impl0     00000002   2000  large deviation  the deviation is 40.0 % of the mean, 20 % are allowed
doubtful  suite  cpu0_impl0     00000003   3000  few samples      4 samples, and 10 are wanted before the mean counts
doubtful  suite  cpu0_impl0     00000004   4000  mixed work       tasks with data of these sizes had different numbers of flops: the footprint does not tell them apart
doubtful  suite  cuda0_impl0    -             -  sizes too near   sizes from 1000 to 1050 bytes: the curve counts when the least is below 90 % of the greatest
doubtful  suite  opencl1_impl0  00000002   2000  curve far off    the curve says 27.14, measured was 20: +36 %
? 1
$ weft model check chol_model_gemm chol_model_potrf memset
model   host   place        footprint     size  doubt          why
memset  suite  cuda0_impl0  8b21aaeb   1048576  curve far off  the curve says 11.21, measured was 15.49: -28 %
? 1
$ weft model check lu_model_getrf_openblas
model                    host   place       footprint   size  doubt            why
lu_model_getrf_openblas  suite  cpu0_impl0  3e921964   65536  large deviation  the deviation is 23.0 % of the mean, 20 % are allowed
? 1
$ weft model check lu_model_getrf_openblas --max-deviation 25
1 model, nothing doubtful
$ weft model check chol_model_potrf --min-samples 50 --json | jq -c '.[] | [.doubt, .why]'
["few samples","34 samples, and 50 are wanted before the mean counts"]
$ weft model check --csv | cut -d, -f1 | sort | uniq -c
      5 doubtful
      1 lu_model_getrf_openblas
      1 memset
      1 memset_energy
      1 symbol
$ weft model check --max-deviation many
weft model: error: option '--max-deviation': expected a number of percent, found 'many'
Try 'weft model --help'.
? 2
$ weft model check --trace run.weft
weft model: error: with '--trace', say which models to check
Try 'weft model --help'.
? 2
## a damaged one: said, and the others are looked at
$ head -c 400 m/codelets/45/memset.suite >m/codelets/45/half.suite; weft model list --csv 2>&1 | cut -d, -f1 | mask; weft model show half 2>&1 | mask; weft model check memset >/dev/null; weft model check 2>&1 | head -n 1 | mask; rm m/codelets/45/half.suite
weft model: warning: HERE/m/codelets/45/half.suite:28: expected a number of entries
symbol
chol_model_gemm
chol_model_potrf
doubtful
lu_model_getrf_openblas
memset
memset_energy
weft model: error: HERE/m/codelets/45/half.suite:28: expected a number of entries
weft model: warning: HERE/m/codelets/45/half.suite:28: expected a number of entries
## fit: rows of a multiple regression; curves of a history
$ weft model fit gemm
place  samples  far  equation                         R^2    error
all         60    0  1156.15                            0  88.21 %
all         60    0  82.2028 + 0.570117*M*N      0.974664   8.30 %
all         60    0  40 + 0.5*M*N + 0.002*M*N*K         1   0.00 %  best

/* all */
static unsigned term_0[] = {1, 1, 0}; /* M*N */
static unsigned term_1[] = {1, 1, 1}; /* M*N*K */
static unsigned *combinations[] = {term_0, term_1}; /* .nparameters = 3, .ncombinations = 2 */
$ weft model fit m/codelets/tmp/gemm.out --terms 1 --degree 2 --csv
place,samples,far,equation,r2,error_percent,verdict
all,60,0,1156.15,0,88.21328564916472,
all,60,0,82.2028 + 0.570117*M*N,0.9746643250256496,8.299860462505054,best
$ weft model fit memset
place        samples  far  equation                  R^2    error
cpu0_impl0       900    0  0.00600773*size^0.707076    -  13.69 %
cpu0_impl0       900    0  0.0005*size^0.9 + 2         -   0.00 %  best
cuda0_impl0      450    0  0.908311*size^0.181296      -  14.31 %
cuda0_impl0      450    0  1e-05*size^1 + 5            -   0.00 %  best
$ weft model fit memset_energy --json | jq -c '.[0] | [.place, .samples, .verdict]'
["cpu0_impl0",180,""]
$ weft model fit chol_model_gemm
weft model: warning: chol_model_gemm, cpu0_impl0: no curve, as it wants two sizes or more
? 1
$ weft model fit gemm --degree 9
weft model: error: option '--degree': expected 1 to 6, found '9'
Try 'weft model --help'.
? 2
$ weft model fit gemm --terms 7
weft model: error: option '--terms': expected 1 to 6, found '7'
Try 'weft model --help'.
? 2
$ head -n 3 m/codelets/tmp/gemm.out >few.out; weft model fit ./few.out
weft model: warning: ./few.out, all: 2 rows are too few to say anything
? 1
$ echo 'Duration, M' >bad.out; echo '1, x' >>bad.out; weft model fit ./bad.out
weft model: error: ./bad.out:2: expected a duration and a number for each parameter
? 2
## rec: as StarPU's records
$ weft model rec chol_model_gemm | sed 's/^Size: [0-9]*$/Size: N/'
%rec: worker_count

Architecture: cpu0
NbWorkers: 2

%rec: memory_workers

MemoryNode: 0
Name: NUMA 0
Size: N
Workers: 0 1

%rec: memory_performance

%rec: timing

Model: chol_model_gemm
Architecture: cpu0
Footprint: db9db110
Size: N
Flops: 8.192000e+06   
Mean: 2.781036e+02   
Stddev: 1.487788e+01   
Samples: 449


$ weft model rec -o all.rec && grep -c '^Model: ' all.rec
39
## plot: as SVG, PNG, and for gnuplot
$ weft model plot memset -o memset.svg && xmllint --noout memset.svg && grep -c '<circle' memset.svg; grep -c '<polyline' memset.svg; grep -o '>[^<]*impl0[^<]*<' memset.svg
18
21
>cpu0_impl0 (Comb0)<
>cpu0_impl0 (Comb0): a*n^b<
>cpu0_impl0 (Comb0): a*n^b+c<
>cuda0_impl0 (Comb1)<
>cuda0_impl0 (Comb1): a*n^b<
$ weft model plot memset --arch cpu --gflops -o speed.png && head -c 8 speed.png | od -An -c | head -n 1; [ "$(wc -c <speed.png)" -gt 2000 ]
 211   P   N   G  \r  \n 032  \n
$ weft model plot memset --arch cpu --power memset_energy -o power.gp && sed -n '/<< END/,/^END/p' power.gp | head -n 4; grep '^set' power.gp
$curve_0 << END
4096 29.99999654152043 1.4999998270760218
8192 30.00000272963535 1.4999997270364278
16384 29.999992163298064 1.499999608164903
set terminal png noenhanced size 960,600
set output "power.png"
set title "Power of codelet memset, host suite"
set xlabel "Total size of data (bytes)"
set ylabel "Power (W)"
set key top left
set grid
set logscale x
set yrange [0:]
$ weft model plot memset -o memset.svg
weft model: error: 'memset.svg' is there already (--force replaces it)
Try 'weft model --help'.
? 2
$ weft model plot memset -o memset.svg --force; weft model plot memset
weft model: error: say where to draw, with -o FILE.svg, FILE.png or FILE.gp
Try 'weft model --help'.
? 2
$ weft model plot memset -o memset.jpg
weft model: error: cannot tell the format from the name 'memset.jpg': known endings are .svg .png .gp
Try 'weft model --help'.
? 2
$ weft model plot lu_model_getrf_openblas --arch cuda -o none.svg 2>&1 | mask; ls none.svg
weft model: error: there is nothing to draw: 'HERE/m/codelets/45/lu_model_getrf_openblas.suite' has no measurements of these workers
ls: cannot access 'none.svg': No such file or directory
? 2
$ weft model plot doubtful --arch opencl --gflops -o none.svg 2>&1 | mask
weft model: error: there is nothing to draw: 'HERE/m/codelets/45/doubtful.suite' has no measurements of tasks that said their flops of these workers
$ weft model plot memset --power nothing -o none.svg 2>&1 | mask
weft model: error: there is no performance model 'nothing' of host 'suite' in 'HERE/m/codelets/45'
$ weft model plot memset --trace nowhere.weft -o none.svg
weft model: error: cannot open 'nowhere.weft': no such file or directory
? 2
$ STARPU_HOSTNAME=../suite weft model list 2>&1 | head -1
weft model: warning: STARPU_HOSTNAME is '../suite': a name without '/' is expected; this machine's own is taken
