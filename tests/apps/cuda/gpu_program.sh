# What tests of GPUs share; they source it with PROGRAM, MODULE and MPIRUN as their first arguments. It works in a
# folder of its own, which has the scenario small.yaml and the program with the CUDA module of the stand-in.
set -u
module="$2"
. "$(dirname "${BASH_SOURCE[0]}")/../ranks_support.sh" "$1" "${3:-}"
# A branch on one device, the other and what follows on three.
small_scenario 4 "{planner: manual, micro_batch: 4, stages: [{devices: [0], operators: [branch0.*]},
         {devices: [1, 2, 3], operators: [branch1.*, concat, loss]}]}"
cp "$program" pipegraph && cp "$module" pipegraph_cuda.so || exit 1
program="$scratch/pipegraph"

# same_losses FOLDER FOLDER: within 1e-4 of each other, step by step.
same_losses() {
  paste -d, <(cut -d, -f1,3 "$1/training/loss.csv") <(cut -d, -f1,3 "$2/training/loss.csv") |
    awk -F, 'NR == 1 { if ($2 != "loss" || $4 != "loss") exit 1; next }
             { steps++; d = $2 - $4; if (d < 0) d = -d; if ($1 != $3 || !(d <= 1e-4 * $4)) bad = 1 }
             END { exit bad || steps == 0 }'
}
