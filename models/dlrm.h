// The recommendation network (DLRM) of GraphPipe's evaluation (arXiv 2406.17145): feed-forward
// branches for dense features and bags of embeddings for sparse ones, joined, and a feed-forward
// top.
//
// Parameters: dense_branches 7, dense_layers 4, hidden 4096, dense_features 4096 (columns of each
// dense input; assumed), sparse_branches 7, table_rows 1 M, embedding 64, bag 100 (indices per
// sample and table), pooling concat, interaction concat, top_layers 4 (assumed), outputs 1 (one
// more linear layer), bias true, activation relu. With the defaults the joined features have 73 472
// columns. `interaction: dot` is the original network's (Naumov et al., 2019): it needs `pooling:
// sum`, and the last layer of each dense branch has `embedding` columns.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family dlrm();

}  // namespace pipegraph
