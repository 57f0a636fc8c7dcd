#!/usr/bin/env bash
# Builds and checks pipegraph on a machine with GPUs: see the text below, and docs/gpu.md.
set -u

usage() {
  cat <<'END'
Usage: exec/gpu_check.sh [RESULTS]                   on a machine with a GPU, from what exec/gpu_bundle.sh packed
       exec/gpu_check.sh --dry-run PROGRAM [RESULTS] no build and no GPU: the commands, with a program on the stand-in

Configures and builds without SimGrid, runs all tests that need GPUs, measures links, cross-checks small plans on 2 to 8
devices that share the GPUs, trains with CUDA graphs, and prints a table. Every step has a time limit, all of them
together six minutes; a step that fails stops nothing but what builds on it. RESULTS (default: $OUT, else gpu_check) gets
summary.txt, machine.txt, links.csv, this_machine.yaml, predictions.txt and details.tar.gz with everything else.
In the environment: BUILD (build folder), JOBS, CUDA_HOME, NCCL_HOME, CHECK_SECONDS (instead of 360).
Exit status: 0 all steps ended well, 1 one failed, 3 there is nothing to check (no GPU, no build).
END
}

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
dry_program=""
case "${1:-}" in
  -h | --help) usage && exit 0 ;;
  --dry-run)
    dry_program=$(readlink -f "${2:?--dry-run needs the program}")
    shift 2
    ;;
esac
results=$(realpath -m "${1:-${OUT:-gpu_check}}")
build="${BUILD:-$root/build/gpu}"
jobs="${JOBS:-$(nproc)}"
seconds="${CHECK_SECONDS:-360}"
began=$SECONDS
failed=0
table=()
small=()  # a dry run is about commands, not sizes
[[ -n $dry_program ]] && small=(--set model.hidden=16 --set model.heads=2 --set model.sequence=4 --set model.layers=1
  --set training.mini_batch=8)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logs="$work/details"
mkdir -p "$results" "$logs"

left() { echo $((seconds - (SECONDS - began))); }
note() { table+=("$(printf '%-24s %-10s %5s  %s' "$1" "$2" "$3" "$4")"); }

# step NAME LIMIT COMMAND...: runs it with its output in NAME.log, and notes how it ended: ok, failed (and how), out of
# time, or skipped where the whole check has no time left. 1 is no failure of a step that `judges`: the answer was no.
step() {
  local name="$1" limit="$2" status start=$SECONDS log="$logs/$1.log" result
  shift 2
  (($(left) < limit)) && limit=$(left)
  if ((limit < 1)); then
    note "$name" skipped 0 "no time left"
    failed=1
    return 1
  fi
  printf '%s ...\n' "$name" >&2
  timeout -k 5 "$limit" "$@" >"$log" 2>&1 </dev/null
  status=$?
  case $status in
    0) result=ok ;;
    124 | 137) result=timeout ;;
    *) result="failed:$status" ;;
  esac
  ((status == 0)) && grep -qF '***Skipped' "$log" && result=skipped
  if [[ -n ${judges:-} && $status == 1 ]]; then result="no verdict"; status=0; fi
  note "$name" "$result" $((SECONDS - start)) "$(remark "$log")"
  ((status == 0)) || failed=1
  return "$status"
}

# The last line of a log, shortened; of a cross-check its verdict.
remark() { grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c1-80; }

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
  "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" --version 2>/dev/null || nvcc --version 2>/dev/null || echo "nvcc was not found"
  cmake --version | head -n 1
  g++ --version | head -n 1
}

# -D options that show CMake NCCL where it is not in a usual place: NCCL_HOME, or Python's package of it, which has no
# link named libnccl.so.
nccl_options() {
  local home="${NCCL_HOME:-}" library
  if [[ -z $home ]]; then
    home=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0])' 2>/dev/null) || return 0
  fi
  library=$(find "$home/" -name 'libnccl.so*' -print -quit 2>/dev/null)
  [[ -n $library && -f $home/include/nccl.h ]] || return 0
  printf '%s\n' "-DPIPEGRAPH_NCCL_INCLUDE_DIR=$home/include" "-DPIPEGRAPH_NCCL_LIBRARY=$library"
}

configure() {
  local options=(-DPIPEGRAPH_SIM=OFF -DPIPEGRAPH_BENCH=OFF -DPIPEGRAPH_WERROR=OFF -DPIPEGRAPH_CUDA=ON)
  [[ -d $root/third_party ]] && options+=("-DPIPEGRAPH_THIRD_PARTY=$root/third_party")
  command -v ninja >/dev/null && options+=(-G Ninja)
  if [[ ! -f /usr/include/nccl.h && ! -f ${CUDA_HOME:-/usr/local/cuda}/include/nccl.h ]]; then
    mapfile -t -O "${#options[@]}" options < <(nccl_options)
  fi
  step configure 60 cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release "${options[@]}"
}

gpu_tests() {
  local name
  export REQUIRE_GPU="$gpus"
  for name in gpu.operators gpu.plans gpu.beliefs gpu2.peers gpu4.peers; do
    (($(left) > 0)) || break
    step "$name" 90 ctest --test-dir "$build" -R "^$name\$" --output-on-failure --no-tests=error
  done
}

# crosscheck SCENARIO DEVICES [option...]: graph and chain, devices sharing the GPUs.
crosscheck() {
  local scenario="$1" devices="$2" name="crosscheck.$1.$2"
  shift 2
  judges=yes step "$name" 60 "$program" crosscheck "$root/scenarios/gpu_$scenario.yaml" --backend cuda --share-gpus \
    --no-report -o "$logs/$scenario.$devices" --set simulation.backend=analytic --set "cluster.devices=$devices" "$@"
  { printf '== %s on %s devices\n' "$scenario" "$devices" && cat "$logs/$name.log"; } >>"$results/predictions.txt"
}

crosschecks() {
  local devices
  rm -f "$results/predictions.txt"
  if [[ -n $dry_program ]]; then
    crosscheck two_branches 2 "${small[@]}"
    crosscheck mmt 3 "${small[@]}"
    return
  fi
  for devices in 2 4 8; do
    crosscheck two_branches "$devices"
    crosscheck mmt "$devices"
  done
}

# Whole steps as CUDA graphs, which takes one GPU.
capture() {
  if ! "$program" run --help | grep -q -- --issue; then
    note capture skipped 0 "this program captures no CUDA graphs"
    return
  fi
  step capture 40 env CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}" "$program" run "$root/scenarios/train_small.yaml" \
    --backend cuda --share-gpus --issue graph --steps 20 --no-report -o "$logs/capture" "${small[@]}"
}

finish() {
  tar czf "$results/details.tar.gz" -C "$work" details
  {
    printf '%-24s %-10s %5s  %s\n' step result s remark
    printf '%s\n' "${table[@]}"
    printf 'in all %d s, %s\n' $((SECONDS - began)) "$( ((failed)) && echo 'not all well' || echo 'all well')"
  } | tee "$results/summary.txt"
  exit "${1:-$failed}"
}

describe_machine >"$results/machine.txt" 2>&1
if [[ -n $dry_program ]]; then
  program="$dry_program"
else
  gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU')
  program="$build/apps/pipegraph"
  configure || finish 3
  step build 240 cmake --build "$build" -j "$jobs" --target pipegraph_cli pipegraph_cuda gpu_test || finish 3
  if ((gpus == 0)); then
    note gpus failed 0 "nvidia-smi lists none"
    step no_gpu 20 "$program" links || finish 3
  fi
  gpu_tests
fi
if step links 60 "$program" links -o "$results/this_machine.yaml" --format csv; then
  grep , "$logs/links.log" >"$results/links.csv"
fi
step train 60 "$program" run "$root/scenarios/train_small.yaml" --backend cuda --share-gpus --steps 20 --trace \
  --no-report -o "$logs/train" "${small[@]}"
capture
crosschecks
finish
