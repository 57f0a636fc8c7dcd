#include "models/two_branch_transformer.h"

#include "models/branched_transformer.h"
#include "models/transformer_layer.h"

namespace pipegraph {

Family two_branch_transformer() {
  Family family;
  family.name = "two_branch_transformer";
  family.description = "two branches of transformer layers, concatenated (case study)";
  family.parameters = transformer_parameters(1024, 256);
  family.parameters.insert(family.parameters.begin(),
                           count_parameter("layers", 4, "transformer layers of each branch"));
  family.build = [](const FamilyArguments& arguments) {
    return branched_transformer(arguments, 2);
  };
  return family;
}

}  // namespace pipegraph
