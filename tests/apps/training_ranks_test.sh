#!/usr/bin/env bash
# Training on several ranks is training on one: same losses, and checkpoints that either continues.
#   training_ranks_test.sh PROGRAM MPIRUN
set -u
# shellcheck source=tests/apps/ranks_support.sh
source "$(dirname "$0")/ranks_support.sh"
small_scenario 3 "{planner: uniform, micro_batch: 2}"

# train RANKS ARGUMENT...: its exit code.
train() {
  local start=()
  (($1 > 1)) && start=("$mpirun" --oversubscribe --bind-to none -n "$1")
  timeout 120 "${start[@]}" "$program" run small.yaml --backend cpu --no-report --checkpoint-every 2 "${@:2}" \
    >out 2>err
}
memory_told() { grep -o 'memory of d.*' err; }
losses() { cut -d, -f1-4 "$1/training/loss.csv"; }

train 1 --steps 6 -o alone || fail "one rank failed" "$(<err)"
memory_alone=$(memory_told)
train 3 --steps 4 -o ranks || fail "three ranks failed" "$(<err)"
[[ -n $memory_alone && $(memory_told) == "$memory_alone" ]] ||
  fail "three ranks tell of another fullest device than one" "$memory_alone" "$(<err)"
(($(grep -c '^step' err) == 4)) || fail "not one rank alone told of the losses" "$(<err)"
(($(ls ranks/training/checkpoints/step_00000004-*.tensors | wc -l) >= 2)) || fail "not several ranks wrote tensors"
train 2 --steps 6 -o ranks --resume || fail "two ranks did not continue what three began" "$(<err)"
diff <(losses alone) <(losses ranks) || fail "the losses differ"
train 1 --steps 8 -o alone --resume || fail "one rank did not continue" "$(<err)"
train 1 --steps 8 -o ranks --resume || fail "one rank did not continue what two had saved" "$(<err)"
diff <(losses alone) <(losses ranks) || fail "the losses differ after the checkpoint of two ranks"

train 2 --steps 8 -o ranks
code=$?
((code == 2)) || fail "starting over a checkpoint gave $code instead of 2" "$(<err)"
(($(grep -c 'is a checkpoint of an earlier training' err) == 1)) || fail "it was not told once" "$(<err)"
exit $((failures > 0))
