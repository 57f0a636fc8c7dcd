#!/usr/bin/env bash
# GPUs of several ranks train what those of one process do, and ranks that fail are named.
#   gpu_ranks_test.sh PROGRAM MODULE MPIRUN
. "$(dirname "$0")/gpu_program.sh"

# train RANKS FOLDER GPUS ARGUMENT...: its exit code.
train() {
  local start=() meeting=""
  if (($1 > 1)); then
    start=("$mpirun" --oversubscribe --bind-to none -n "$1")
    meeting=$(mktemp -d "$scratch/meeting.XXXX")
  fi
  PIPEGRAPH_CUDA_STAND_IN="gpus=$3 ${meeting:+folder=$meeting}" timeout 120 "${start[@]}" "$program" \
    run small.yaml --backend cuda --no-report --checkpoint-every 2 -o "$2" "${@:4}" >out 2>err
}
losses() { cut -d, -f1-4 "$1/training/loss.csv"; }

train 1 alone 4 --steps 4 || fail "one rank failed" "$(<err)"
train 2 ranks 4 --steps 2 || fail "two ranks failed" "$(<err)"
train 4 ranks 4 --steps 4 --resume || fail "four ranks did not continue what two began" "$(<err)"
diff <(losses alone) <(losses ranks) || fail "the losses of ranks differ"
train 2 one 4 --steps 4 --nccl-communicators one || fail "one communicator failed" "$(<err)"
diff <(losses alone) <(losses one) || fail "the losses with one communicator differ"
train 2 sums 4 --steps 4 --deterministic no || fail "sums by NCCL failed" "$(<err)"
same_losses sums alone || fail "the losses with sums by NCCL differ"
train 2 shared 2 --steps 4 --share-gpus || fail "two ranks with a GPU each failed" "$(<err)"
diff <(losses alone) <(losses shared) || fail "the losses with shared GPUs differ"

# Times of all ranks' instructions come together: as many as the program has, each after it was ready.
meeting=$(mktemp -d "$scratch/meeting.XXXX")
PIPEGRAPH_CUDA_STAND_IN="gpus=4 folder=$meeting" timeout 120 "$mpirun" --oversubscribe --bind-to none -n 2 "$program" run small.yaml \
  --backend cuda --no-report --steps 2 --warm-up 1 --trace -o traced >out 2>err || fail "tracing failed" "$(<err)"
instructions=$("$program" show program small.yaml 2>/dev/null | grep -c '^[0-9]')
timeline=$(find traced -name timeline.csv)
(($(tail -n +2 "$timeline" | wc -l) == instructions)) || fail "the timeline has not $instructions rows: $(wc -l "$timeline")"

# refused CODE WHAT RANKS GPUS ARGUMENT...: said once.
refused() {
  train "$3" refused "$4" --steps 2 "${@:5}"
  local code=$?
  ((code == $1)) || fail "exit code $code instead of $1 for: $2" "$(<err)"
  (($(grep -Ec "$2" err) == 1)) || fail "not said once: $2" "$(<err)"
}
refused 3 "device d0 of rank 0 and device d2 of rank 1 share GPU .*, which NCCL refuses: start at most one rank" 2 1 --share-gpus
refused 2 "transport: copies reach within a process only" 2 4 --transport copy
refused 2 "issue: whole steps are issued by one process, .* expected one rank with all of their GPUs" 2 4 --issue graph

# A rank that is killed or stopped while it trains ends the job in seconds; where it is stopped, others name it.
# strike SIGNAL: exit code in `code`.
strike() {
  local meeting
  meeting=$(mktemp -d "$scratch/meeting.XXXX")
  PIPEGRAPH_CUDA_STAND_IN="gpus=4 folder=$meeting" timeout 60 "$mpirun" --oversubscribe --bind-to none -n 2 "$program" \
    run small.yaml --backend cuda --no-report --checkpoint-every 2 --steps 100000 --deadline "4 s" -o "strike$1" >out 2>err &
  local job=$!
  for ((tries = 0; tries < 600; tries++)); do
    compgen -G "strike$1/training/checkpoints/*.json" >/dev/null && break
    sleep 0.05
  done
  mapfile -t ranks < <(pgrep -f "^$program run small.yaml")
  ((${#ranks[@]} == 2)) || fail "there are not two ranks: ${ranks[*]}" "$(<err)"
  kill "-$1" "${ranks[1]}"
  wait "$job"
  code=$?
  kill -KILL "${ranks[@]}" 2>/dev/null
}
strike KILL
((code != 0 && code != 124)) || fail "a killed rank gave $code" "$(<err)"
strike STOP
((code == 3)) || fail "a stopped rank gave $code" "$(<err)"
grep -q "has not been heard of for 3 s: it was stopped" err || fail "the stopped rank is not named" "$(<err)"
exit $((failures > 0))
