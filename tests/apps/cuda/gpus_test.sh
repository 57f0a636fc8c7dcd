#!/usr/bin/env bash
# One process with several GPUs trains what cores train, however messages travel; what cannot work is said in a line.
#   gpus_test.sh PROGRAM MODULE
. "$(dirname "$0")/gpu_program.sh"

# train FOLDER STAND_IN ARGUMENT...: its exit code.
train() {
  PIPEGRAPH_CUDA_STAND_IN="$2" timeout 120 "$program" run small.yaml --steps 40 --seed 1 --no-report -o "$1" "${@:3}" >out 2>err
}
train cpu "" --backend cpu || fail "the cpu failed" "$(<err)"
train copy gpus=4 --backend cuda || fail "copies failed" "$(<err)"
train nccl gpus=4 --backend cuda --transport nccl || fail "NCCL failed" "$(<err)"
grep -q 'messages between GPUs by NCCL 2.* thread blocks for each communicator' err ||
  grep -q 'messages between GPUs by NCCL' out || fail "NCCL is not mentioned" "$(<out)" "$(<err)"
train one gpus=4 --backend cuda --transport nccl --nccl-communicators one || fail "one communicator failed" "$(<err)"
train sums gpus=4 --backend cuda --transport nccl --deterministic no || fail "sums by NCCL failed" "$(<err)"
train shared gpus=3 --backend cuda --transport nccl --share-gpus || fail "shared GPUs failed" "$(<err)"
train steps gpus=4 --backend cuda --issue steps || fail "whole steps failed" "$(<err)"
train graph gpus=4 --backend cuda --issue graph || fail "a graph of four GPUs failed" "$(<err)"
for way in copy nccl one sums shared steps graph; do
  same_losses "$way" cpu || fail "$way has other losses than the cpu" "$(<"$way/training/loss.csv")"
done
for way in nccl one shared steps graph; do
  diff <(cut -d, -f1-4 copy/training/loss.csv) <(cut -d, -f1-4 "$way/training/loss.csv") || fail "$way has other bits than copies"
done

# refused CODE WHAT STAND_IN ARGUMENT...: in one line that has all words of WHAT, an extended regular expression.
refused() {
  train refused "$3" "${@:4}"
  local code=$?
  ((code == $1)) || fail "exit code $code instead of $1 for: $2" "$(<err)"
  grep -Eq "$2" err || fail "not said: $2" "$(<err)"
}
# Where times come from: CUPTI, events where it refuses, and that is said, in the notes and in the summary.
measure() {
  PIPEGRAPH_CUDA_STAND_IN="$2" timeout 120 "$program" run small.yaml --backend cuda --steps 3 --trace --no-report -o "$1" "${@:3}" \
    >out 2>err
}
measure traced gpus=4 || fail "a traced run failed" "$(<err)"
grep -q 'times from CUPTI activity (on the host.s clock to .*those of computes and messages, others' out err || fail "CUPTI is not mentioned" "$(<err)"
grep -q '"times_from": "CUPTI activity' traced/summary.json || fail "CUPTI is not in the summary" "$(<traced/summary.json)"
measure sharing gpus=3 --share-gpus || fail "a measuring run on shared GPUs failed" "$(<err)"
grep -q '4 devices share 3 GPUs: the times are this machine' out err || fail "nobody says that GPUs are shared" "$(<err)"
measure events gpus=4 --gpu-times events || fail "times from events failed" "$(<err)"
grep -q 'times from events (CUPTI was not asked for)' out err || fail "events are not mentioned" "$(<err)"
measure refusing "gpus=4 fail=cuptiActivityEnable:1:35" || fail "a run without CUPTI failed" "$(<err)"
grep -q 'times from events (.*INSUFFICIENT_PRIVILEGES: the driver lets only administrators look' out err ||
  fail "the refusal is not mentioned" "$(<err)"
measure demanding "gpus=4 fail=cuptiActivityEnable:1:35" --gpu-times cupti
[[ $? == 3 ]] && grep -q 'gpu-times cupti: .*INSUFFICIENT_PRIVILEGES.*events needs no CUPTI' err || fail "the demand is not refused" "$(<err)"

# Three replicas show whose order it was.
diff -q <(cut -d, -f1-4 copy/training/loss.csv) <(cut -d, -f1-4 sums/training/loss.csv) >out && fail "NCCL added in index order"

refused 3 "program uses 4 devices, this machine has 2 GPUs" gpus=2 --backend cuda
refused 3 "NCCL 2.18.0 is too old: 2.19.0 or newer is needed" "gpus=4 nccl=21800" --backend cuda --transport nccl
refused 3 "one communicator needs a GPU for each device, but d0 and d3 share GPU" gpus=3 --backend cuda \
  --transport nccl --nccl-communicators one --share-gpus
refused 3 "rank 0, device d[0-9].*ncclSend\(.* failed on GPU [0-9]: unhandled system error; ncclSend was made to fail" \
  "gpus=4 fail=ncclSend:40:2" --backend cuda --transport nccl
refused 3 "ncclCommInitRankConfig\(.* failed on GPU [0-9].*was made to fail" "gpus=4 fail=ncclCommInitRankConfig:3:2" \
  --backend cuda --transport nccl
refused 3 "the communicator .*has not come about for 2 s" "gpus=4 stop=1" --backend cuda --transport nccl --deadline "2 s"
# Nothing but the end of the process helps where aborting never returns.
refused 3 "ncclSend\(.* failed on GPU" "gpus=4 fail=ncclSend:40:2 fail=ncclCommAbort:1:-1" --backend cuda --transport nccl
refused 2 "issue: whole steps bring messages between GPUs by copies; expected --transport copy" gpus=4 --backend cuda \
  --transport nccl --issue graph
refused 2 "transport: only the backend 'cuda' has GPUs" "" --backend cpu --transport nccl
refused 2 "transport: 'nickel' is unknown; expected" gpus=4 --backend cuda --transport nickel
exit $((failures > 0))
