// The algorithms behind collective_table(), one file each; `bytes` is the size of the vector.
#pragma once

#include "core/collective/collective.h"

namespace pipegraph {

/// Reduce-scatter, then all-gather, around a ring that visits node after node (Patarasuk and Yuan,
/// 2009). 2 d (d-1) messages of bytes / d.
StepList ring_steps(double bytes, const CollectiveMembers& members);
/// The same ring with one flow per edge: all its bytes at once, and the latencies of all messages
/// it stands for. Equal to ring_steps on equal edges that nothing else uses.
StepList ring_aggregated_steps(double bytes, const CollectiveMembers& members);
/// Every member sends each other its chunk, which that one adds up and sends back to all.
StepList direct_steps(double bytes, const CollectiveMembers& members);
/// Recursive halving, then doubling (Thakur, Rabenseifner and Gropp, 2005). Members beyond the
/// largest power of two hand their vector to a partner before and get the sum from it afterwards.
StepList halving_doubling_steps(double bytes, const CollectiveMembers& members);
/// Reduce-scatter inside each node, a ring all-reduce of each shard between the nodes, all-gather
/// inside each node. With unequal numbers of members per node it is the plain ring.
StepList hierarchical_steps(double bytes, const CollectiveMembers& members);
/// The same with one flow per edge and phase.
StepList hierarchical_aggregated_steps(double bytes, const CollectiveMembers& members);
/// ring_steps or ring_aggregated_steps, by the number of members.
StepList auto_steps(double bytes, const CollectiveMembers& members);

}  // namespace pipegraph
