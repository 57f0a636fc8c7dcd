#include "models/multimodal_transformer.h"

#include "models/branched_transformer.h"
#include "models/transformer_layer.h"

namespace pipegraph {

Family multimodal_transformer() {
  Family family;
  family.name = "multimodal_transformer";
  family.description = "branches of transformer layers, one per modality, concatenated (MMT)";
  family.parameters = transformer_parameters(1024, 256);
  family.parameters.insert(family.parameters.begin(),
                           {count_parameter("branches", 4, "modalities"),
                            count_parameter("layers", 8, "transformer layers of each branch")});
  family.build = [](const FamilyArguments& arguments) {
    return branched_transformer(arguments, arguments.at("branches"));
  };
  return family;
}

}  // namespace pipegraph
