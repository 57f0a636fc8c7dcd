#!/usr/bin/env bash
# Builds and checks pipegraph on a machine with GPUs: see the text below, and docs/gpu.md.
set -u

usage() {
  cat <<'END'
Usage: exec/gpu_check.sh [RESULTS]                   on a machine with a GPU, from what exec/gpu_bundle.sh packed
       exec/gpu_check.sh --stand-in [RESULTS]        a rehearsal without one: all of it, built with the tests' stand-in for CUDA
       exec/gpu_check.sh --dry-run PROGRAM [RESULTS] no build and no GPU: the commands, with a program on the stand-in

Configures and builds without SimGrid, for the GPUs that are there, runs all tests that need GPUs, measures links, trains
with and without a CUDA graph, and cross-checks small plans on 2 to 8 devices that share the GPUs. Every step has a time
limit, all of them together six minutes (an hour in a rehearsal); a step that fails stops nothing but what builds on it, and
what is left when time is up is named as skipped. RESULTS (default: $OUT, else gpu_check) has after every step
summary.txt, machine.txt, links.csv, this_machine.yaml, predictions.txt and details.tar.gz with everything else.
In the environment: BUILD (build folder), JOBS, CUDA_HOME, NCCL_HOME, CHECK_SECONDS (instead of 360).
Exit status: 0 all steps ended well, 1 one failed or was skipped, 3 there is nothing to check (no GPU, no build).
END
}

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
mode=gpu
case "${1:-}" in
  -h | --help) usage && exit 0 ;;
  --stand-in) mode=stand_in && shift ;;
  --dry-run)
    mode=dry
    program=$(readlink -f "${2:?--dry-run needs the program}")
    shift 2
    ;;
  -*) usage >&2 && exit 2 ;;
esac
results=$(realpath -m "${1:-${OUT:-gpu_check}}")
build="${BUILD:-$root/build/$mode}"
jobs="${JOBS:-$(nproc)}"
cuda_home="${CUDA_HOME:-/usr/local/cuda}"
seconds="${CHECK_SECONDS:-360}"
device_counts=(2 4 8)
small=()  # without a GPU it is about commands, not sizes
if [[ $mode != gpu ]]; then
  small=(--set model.hidden=16 --set model.heads=2 --set model.sequence=4 --set model.layers=1 --set training.mini_batch=8)
  export PIPEGRAPH_CUDA_STAND_IN="${PIPEGRAPH_CUDA_STAND_IN:-pace=lazy gpus=1}"
fi
patience=1
# Without a GPU nothing hangs on how fast a machine is.
[[ $mode != gpu ]] && patience=10 && seconds="${CHECK_SECONDS:-3600}"
[[ $mode == dry ]] && device_counts=(3)
began=$SECONDS
failed=0
running=""  # the step that runs
no_time="no time left"
table=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'interrupted' INT TERM HUP
logs="$work/details"
mkdir -p "$results" "$logs"

left() { echo $((seconds - (SECONDS - began))); }

# note NAME RESULT SECONDS REMARK: a line of the table. What there is so far is written each time: a machine may be taken
# away before the end.
note() {
  table+=("$(printf '%-26s %-10s %5s  %s' "$1" "$2" "$3" "$4")")
  [[ $2 == failed* || $2 == timeout || $4 == "$no_time" ]] && failed=1
  save ", not finished"
}

save() {
  {
    printf '%-26s %-10s %5s  %s\n' step result s remark
    printf '%s\n' "${table[@]}"
    printf 'in all %d s%s\n' $((SECONDS - began)) "${1:-}"
  } >"$work/summary.txt"
  cp "$work/summary.txt" "$results"
  tar czf "$work/details.tar.gz" -C "$work" details && cp "$work/details.tar.gz" "$results"
}

# step NAME LIMIT COMMAND...: runs it with its output in NAME.log, and notes how it ended: ok, failed (and how), out of
# time, or skipped where the whole check has no time left. 1 is no failure of a step that `judges`: the answer was no.
# It runs in the background, where a signal to the check need not wait for its end.
step() {
  local name="$1" limit=$(($2 * patience)) status start=$SECONDS log="$logs/$1.log" result
  shift 2
  (($(left) < limit)) && limit=$(left)
  if ((limit < 1)); then
    note "$name" skipped 0 "$no_time"
    return 1
  fi
  printf '%s ...\n' "$name" >&2
  timeout -k 5 "$limit" "$@" >"$log" 2>&1 </dev/null &
  running=$!
  wait "$running"
  status=$?
  running=""
  case $status in
    0) result=ok ;;
    124 | 137) result=timeout ;;
    *) result="failed:$status" ;;
  esac
  ((status == 0)) && grep -qF '***Skipped' "$log" && result=skipped
  if [[ -n ${judges:-} && $status == 1 ]]; then result="no verdict"; status=0; fi
  note "$name" "$result" $((SECONDS - start)) "$(remark "$log")"
  return "$status"
}

# shellcheck disable=SC2317  # a signal gets here
interrupted() {
  trap '' INT TERM HUP
  [[ -n $running ]] && kill "$running" && wait "$running"
  note interrupted failed 0 "stopped by a signal; the steps above are whole, but for the last log"
  finish
}

# The last line of a log, shortened.
remark() { grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c1-80; }

nvcc_path() { command -v nvcc || command -v "$cuda_home/bin/nvcc"; }

# What the machine is. nvidia-smi belongs to the driver.
describe_machine() {
  date -u '+%Y-%m-%d %H:%M:%S UTC'
  uname -srm
  grep -m1 'model name' /proc/cpuinfo
  echo "cores: $(nproc)"
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=index,name,driver_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem \
      --format=csv
    nvidia-smi topo -m || true
  else
    echo "nvidia-smi was not found"
  fi
  "$(nvcc_path)" --version 2>&1 || echo "nvcc was not found"
  cmake --version | head -n 1
  "${CXX:-c++}" --version | head -n 1
  free -g | sed -n 2p
}

# home_of nccl|cudnn HEADER: where it is if not in the folders where CMake looks, that is in Python's package of it.
home_of() {
  [[ ! -f /usr/include/$2 && ! -f $cuda_home/include/$2 ]] || return 0
  python3 -c "import nvidia.$1 as n; print(list(n.__path__)[0])" 2>/dev/null
}

# The -D option for machine code of the GPUs that are there, where nvcc knows them: one kind compiles in half the time.
architectures() {
  local kinds kind known names=""
  known=$("$(nvcc_path)" --list-gpu-arch 2>/dev/null)
  kinds=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u)
  for kind in $kinds; do
    grep -qx "compute_$kind" <<<"$known" || return 0
  done
  for kind in $kinds; do names+="${names:+;}$kind-real"; done
  [[ -n $kinds ]] && printf -- '-DCMAKE_CUDA_ARCHITECTURES=%s' "$names"
}

configure() {
  local options=(-DPIPEGRAPH_SIM=OFF -DPIPEGRAPH_BENCH=OFF -DPIPEGRAPH_WERROR=OFF -DPIPEGRAPH_CUDA=ON)
  [[ $mode == stand_in ]] && options+=(-DPIPEGRAPH_CUDA=STAND_IN)
  [[ -d $root/third_party ]] && options+=("-DPIPEGRAPH_THIRD_PARTY=$root/third_party")
  command -v ninja >/dev/null && options+=(-G Ninja)
  [[ $mode == gpu ]] && mapfile -t -O "${#options[@]}" options < <(architectures)
  export CUDA_HOME="$cuda_home"
  export NCCL_HOME="${NCCL_HOME:-$(home_of nccl nccl.h)}" CUDNN_HOME="${CUDNN_HOME:-$(home_of cudnn cudnn.h)}"
  step configure 60 cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release "${options[@]}"
}

compile() {
  local status
  step build 240 cmake --build "$build" -j "$jobs" --target pipegraph_cli pipegraph_cuda gpu_test
  status=$?
  [[ -f $build/.ninja_log ]] && cp "$build/.ninja_log" "$logs/build.times"
  return "$status"
}

# Whatever has a label of GPUs, one step each.
gpu_tests() {
  local name names
  export REQUIRE_GPU="$gpus"
  mapfile -t names < <(cd "$build" && ctest -N -L '^gpu' | sed -n 's/^ *Test *#[0-9]*: //p')
  ((${#names[@]})) || note gpu_tests failed 0 "ctest knows none"
  for name in "${names[@]}"; do
    step "$name" 90 ctest --test-dir "$build" -R "^$name\$" --output-on-failure --no-tests=error
  done
}

# crosscheck SCENARIO DEVICES: graph and chain, devices sharing the GPUs.
crosscheck() {
  local scenario="$1" devices="$2" name="crosscheck.$1.$2"
  judges=yes step "$name" 60 "$program" crosscheck "$root/scenarios/gpu_$scenario.yaml" --backend cuda --share-gpus \
    --no-report -o "$logs/$scenario.$devices" --set simulation.backend=analytic --set "cluster.devices=$devices" "${small[@]}"
  [[ -f $logs/$name.log ]] || return
  { printf '== %s on %s devices\n' "$scenario" "$devices" && cat "$logs/$name.log"; } >>"$results/predictions.txt"
}

crosschecks() {
  local devices
  rm -f "$results/predictions.txt"
  for devices in "${device_counts[@]}"; do
    crosscheck two_branches "$devices"
    crosscheck mmt "$devices"
  done
}

links() {
  step links 60 "$program" links -o "$results/this_machine.yaml" --format csv || return
  grep , "$logs/links.log" >"$results/links.csv"
}

# train NAME [option...]
train() {
  step "$1" 60 "$program" run "$root/scenarios/train_small.yaml" --backend cuda --share-gpus --steps 20 --no-report \
    -o "$logs/$1" "${small[@]}" "${@:2}"
}

# The last on one GPU: a graph over several needs GPUs that reach each other's memory.
trainings() {
  local precision
  train train --trace
  for precision in tf32 bf16; do
    train "train.$precision" --set "training.precision=$precision" --set "cluster.device.peak={$precision: 100 GFLOP/s}"
  done
  CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}" train capture --issue graph
}

finish() {
  save "$( ((failed)) && echo ', not all well' || echo ', all well')"
  cat "$results/summary.txt"
  exit "${1:-$failed}"
}

# Of those that can be seen.
count_gpus() {
  case $mode in
    gpu) nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU' ;;
    *) sed -n 's/.*gpus=\([0-9]*\).*/\1/p' <<<"$PIPEGRAPH_CUDA_STAND_IN" ;;
  esac
}

describe_machine >"$results/machine.txt" 2>&1
gpus=$(count_gpus)
if [[ $mode != dry ]]; then
  program="$build/apps/pipegraph"
  configure || finish 3
  compile || finish 3
  if ((gpus == 0)); then
    note gpus failed 0 "nvidia-smi lists none"
    step no_gpu 20 "$program" links || finish 3
  fi
  gpu_tests
fi
links
trainings
crosschecks
finish
