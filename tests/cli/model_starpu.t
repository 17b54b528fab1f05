## SPDX-License-Identifier: Apache-2.0
## starpu_perfmodel_display, _plot, _recdump and starpu_mlr_analysis: options, layouts, files and statuses of StarPU's.
$ cp "$WEFT_SOURCE/share/starpu/starpu-perfmodel.dtd" .; cp -r "$WEFT_SOURCE/tests/golden/models" m && export STARPU_PERF_MODEL_DIR="$PWD/m" STARPU_HOME="$PWD/home" STARPU_HOSTNAME=suite; unset STARPU_PERF_MODEL_PATH STARPU_NCPU STARPU_NCUDA STARPU_NOPENCL; mask() { sed "s,$PWD,HERE,g"; }
$ for n in perfmodel_display perfmodel_plot perfmodel_recdump mlr_analysis; do ln -s "$(command -v weft)" starpu_$n; done; PATH=$PWD:$PATH
## display
$ starpu_perfmodel_display -l | mask
codelet directory: <HERE/m/codelets/45/>
file: <chol_model_gemm.suite>
file: <chol_model_potrf.suite>
file: <doubtful.suite>
file: <lu_model_getrf_openblas.suite>
file: <memset.suite>
file: <memset_energy.suite>
$ starpu_perfmodel_display -d | mask
directory: <HERE/m/codelets/45/>
directory: <HERE/home/.starpu/sampling/codelets/45/>
$ starpu_perfmodel_display -s chol_model_gemm
# performance model for cpu0_impl0 (Comb0)
# hash		size		flops		mean (us or J)	stddev (us or J)		n
db9db110	307200         	8.192000e+06   	2.781036e+02   	1.487788e+01   	449
$ starpu_perfmodel_display -s memset -a cpu
# performance model for cpu0_impl0 (Comb0)
	Regression : #sample = 900
	Linear: y = alpha size ^ beta
		alpha = 6.007733e-03
		beta = 7.070757e-01
	Non-Linear: y = a size ^b + c
		a = 5.000000e-04
		b = 9.000000e-01
		c = 2.000000e+00
# hash		size		flops		mean (us or J)	stddev (us or J)		n
bb584d59	4096           	8.192000e+03   	2.891444e+00   	1.445722e-01   	100
f7215ccf	8192           	1.638400e+04   	3.663493e+00   	1.831746e-01   	100
9f25d2d1	16384          	3.276800e+04   	5.104188e+00   	2.552094e-01   	100
fabbdf9f	32768          	6.553600e+04   	7.792619e+00   	3.896309e-01   	100
36c7657a	65536          	1.310720e+05   	1.280941e+01   	6.404704e-01   	100
ac493c1d	131072         	2.621440e+05   	2.217107e+01   	1.108554e+00   	100
3304f2ec	262144         	5.242880e+05   	3.964055e+01   	1.982027e+00   	100
59af8636	524288         	1.048576e+06   	7.223975e+01   	3.611987e+00   	100
8b21aaeb	1048576        	2.097152e+06   	1.330720e+02   	6.653600e+00   	100
$ starpu_perfmodel_display -s memset -a cuda_0 -p alpha; starpu_perfmodel_display -s memset -a cpu -p c; starpu_perfmodel_display -s chol_model_gemm -p mean -f db9db110
# performance model for cuda0_impl0 (Comb1)
9.083114e-01
# performance model for cpu0_impl0 (Comb0)
2.000000e+00
# performance model for cpu0_impl0 (Comb0)
2.781036e+02   
$ starpu_perfmodel_display -s chol_model_gemm -p path-file-debug | mask
# performance model for cpu0_impl0 (Comb0)
	HERE/m/debug/chol_model_gemm.suite.cpu0_impl0 (Comb0).debug
$ starpu_perfmodel_display -x -s chol_model_gemm
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE StarPUPerfmodel SYSTEM "starpu-perfmodel.dtd">
<!-- symbol chol_model_gemm -->
<!-- All times in us -->
<perfmodel version="45">
  <combination>
    <device type="CPU" id="0" ncores="1"/>
    <implementation id="0">
      <!-- cpu0_impl0 (Comb0) -->
      <entry footprint="db9db110" size="307200" flops="8.192000e+06" mean="2.781036e+02" deviation="1.487788e+01" sum="1.248685e+05" sum2="3.482576e+07" nsample="449"/>
    </implementation>
  </combination>
</perfmodel>
$ for s in $(starpu_perfmodel_display -l | sed -n 's/^file: <\(.*\)\.suite>$/\1/p'); do starpu_perfmodel_display -x -s $s | xmllint --noout --dtdvalid starpu-perfmodel.dtd - || echo "$s"; done
$ starpu_perfmodel_display -s chol_model_gemm -p delta
starpu_perfmodel_display: error: a performance model has no parameter 'delta', but: a b c alpha beta mean stddev path-file-debug
? 1
$ starpu_perfmodel_display -s chol_model_gemm -a gpu
starpu_perfmodel_display: error: 'gpu' is no kind of worker: cpu, cpu:3 (three cores), cuda, cuda0, opencl and the like are
? 1
$ starpu_perfmodel_display -s unheard_of 2>&1 | mask; starpu_perfmodel_display -s
starpu_perfmodel_display: error: there is no performance model 'unheard_of' of host 'suite' in 'HERE/m/codelets/45'
starpu_perfmodel_display: error: option '-s' wants SYMBOL
usage: starpu_perfmodel_display [options]
Shows performance models.
  -l, --list                          the models that there are
  -d, --directory                     the folders that they are looked for in
  -s, --symbol SYMBOL                 this model
  -p, --parameter PARAMETER           of it, one thing: a, b, c, alpha, beta, mean, stddev, path-file-debug
  -a, --arch ARCH                     for this kind of worker only: cpu, cpu:3 (three cores), cuda, cuda0...
  -f, --footprint FOOTPRINT           for this size of data only
  -x, --xml                           as XML
  -h, --help                          this text
  -v, --version                       the version
? 1
$ starpu_perfmodel_display --version | sed 's/Weft .*/Weft V)/'
starpu_perfmodel_display (StarPU 1.4 by Weft V)
## plot: a script in the current folder, which gnuplot makes a picture of
$ starpu_perfmodel_plot -s memset && starpu_perfmodel_plot -f -s chol_model_potrf && starpu_perfmodel_plot -e -s memset_energy && starpu_perfmodel_plot -f -e -s memset_energy && starpu_perfmodel_plot -se memset memset_energy && ls *.gp
starpu_gflops_chol_model_potrf.gp
starpu_gflops_memset_energy.gp
starpu_memset.gp
starpu_memset_energy.gp
starpu_power_memset.gp
$ cat starpu_power_memset.gp
#!/usr/bin/gnuplot -persist
set terminal postscript eps noenhanced color
set output "starpu_power_memset.eps"
set title "Power of codelet memset, host suite"
set xlabel "Total size of data (bytes)"
set ylabel "Power (W)"
set key top left
set grid
set logscale x
set yrange [0:]
$curve_0 << END
4096 29.99999654152043 1.4999998270760218
8192 30.00000272963535 1.4999997270364278
16384 29.999992163298064 1.499999608164903
32768 30.000003849796837 1.4999999999999751
65536 30 1.4999997657971758
131072 29.999999999999996 1.5000006765573335
262144 29.999987386653316 1.4999989909324245
524288 29.99999307860285 1.4999994462882758
1048576 29.999999999999996 1.4999999999999998
END
plot $curve_0 using 1:2:3 with errorbars pointtype 7 linecolor rgb "#1f77b4" title "cpu0_impl0 (Comb0)"
$ starpu_perfmodel_plot -s memset -a cuda -o out/of && ls out/of && grep output out/of/*.gp
starpu_memset.gp
set output "out/of/starpu_memset.png"
$ starpu_perfmodel_plot -lc -s memset; starpu_perfmodel_plot -c cuda0 -s memset && grep -o 'title .*' starpu_memset.gp
Model <memset>
	Comb 0: cpu0, 1 device
		Device 0: type: cpu - devid: 0 - ncores: 1
	Comb 1: cuda0, 1 device
		Device 0: type: cuda - devid: 0 - ncores: 1
title "Model of codelet memset, host suite"
title "cuda0_impl0 (Comb1)", \
title "cuda0_impl0 (Comb1): a*n^b"
$ starpu_perfmodel_plot -al | tr '\n' ' '
cpu cuda opencl mic max_fpga mpi_sc tcpip_sc hip sycl 
\ no newline
$ starpu_perfmodel_plot -f -s lu_model_getrf_openblas 2>&1 | mask
starpu_perfmodel_plot: error: there is nothing to draw: 'HERE/m/codelets/45/lu_model_getrf_openblas.suite' has no measurements of tasks that said their flops
$ starpu_perfmodel_plot -se memset
starpu_perfmodel_plot: error: option '-se' wants SYMBOL SYMBOL_ENERGY
usage: starpu_perfmodel_plot [options]
Writes starpu_SYMBOL.gp, which gnuplot makes a picture of.
  -l, --list                          the models that there are
  -al                                 the kinds of workers that there can be
  -s, --symbol SYMBOL                 draw this model
  -f, --flops                         GFlop/s, of tasks that said their flops; with -e GFlop/s/W
  -e, --energy                        the model is of joules
  -se, --power SYMBOL SYMBOL_ENERGY   watts, of a model of times and one of joules
  -i, --trace TRACE                   also what the tasks of TRACE took, one by one
  -lc                                 the combinations of devices that the model knows
  -c, --combination COMBINATION       for this one only, as -lc calls it
  -a, --arch ARCH                     for this kind of worker only: cpu, cpu:3 (three cores), cuda, cuda0...
  -o, --output FOLDER                 write there (default: the current folder)
  -h, --help                          this text
  -v, --version                       the version
? 1
## recdump
$ starpu_perfmodel_recdump chol_model_potrf chol_model_gemm | sed 's/^Size: [0-9]\{6,\}[0-9]*$/Size: N/' | sed -n '1,5p;/timing/,$p'
%rec: worker_count

Architecture: cpu0
NbWorkers: 2

%rec: timing

Model: chol_model_potrf
Architecture: cpu0
Footprint: db326755
Size: N
Flops: 1.378160e+06   
Mean: 1.573279e+02   
Stddev: 2.312489e+01   
Samples: 34

Model: chol_model_gemm
Architecture: cpu0
Footprint: db9db110
Size: N
Flops: 8.192000e+06   
Mean: 2.781036e+02   
Stddev: 1.487788e+01   
Samples: 449


$ sed -i 's/^0 # Number of CUDA.*/1 # Number of CUDA nodes/' m/bus/suite.config; printf '# to 0\t\tto 1\t\t\nnan\t5000\n4000\tnan\n' >m/bus/suite.bandwidth; printf '# to 0\t\tto 1\t\t\nnan\t9\n8\tnan\n' >m/bus/suite.latency; starpu_perfmodel_recdump -o perfmodel.rec memset && sed -n '1,/timing/p' perfmodel.rec | grep -v '^Size'
%rec: worker_count

Architecture: cuda0
NbWorkers: 1

Architecture: cpu0
NbWorkers: 2

%rec: memory_workers

MemoryNode: 0
Name: NUMA 0
Workers: 1 2

MemoryNode: 1
Name: CUDA 0
Workers: 0

%rec: memory_performance

MemoryNodeSrc: 0
MemoryNodeDst: 1
Bandwidth: 5.000000e+03
Latency: 9.000000e+00

MemoryNodeSrc: 1
MemoryNodeDst: 0
Bandwidth: 4.000000e+03
Latency: 8.000000e+00

%rec: timing
## analysis
$ starpu_mlr_analysis gemm
place  samples  far  equation                         R^2    error
all         60    0  1156.15                            0  88.21 %
all         60    0  82.2028 + 0.570117*M*N      0.974664   8.30 %
all         60    0  40 + 0.5*M*N + 0.002*M*N*K         1   0.00 %  best

/* all */
static unsigned term_0[] = {1, 1, 0}; /* M*N */
static unsigned term_1[] = {1, 1, 1}; /* M*N*K */
static unsigned *combinations[] = {term_0, term_1}; /* .nparameters = 3, .ncombinations = 2 */
$ starpu_mlr_analysis
usage: starpu_mlr_analysis [options] SYMBOL|FILE
Finds the equation that the measurements of a multiple linear regression follow.
  -h, --help                          this text
  -v, --version                       the version
? 1
