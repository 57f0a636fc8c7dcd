# What tests of several ranks share; they source it with PROGRAM and MPIRUN as their first arguments. It works in a
# folder of its own, which has the scenario small.yaml.
program="$1" mpirun="$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
fail() { printf '%s\n' "$@"; failures=$((failures + 1)); }

# small_scenario DEVICES PLANNER: writes small.yaml.
small_scenario() {
  cat >small.yaml <<END
name: small
model: {family: two_branch_transformer, layers: 1, hidden: 16, heads: 2, sequence: 4}
cluster: {shape: uniform, devices: $1, latency: 5 us, bandwidth: 10 GB/s,
          device: {memory: 1 GiB, peak: {fp32: 10 GFLOP/s}, memory_bandwidth: 10 GB/s}}
training: {mini_batch: 8, precision: fp32, optimizer: momentum}
plans: [$2]
END
}
