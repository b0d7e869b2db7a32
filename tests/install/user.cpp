// Uses an installed Cambium: exit code 0 if what was linked answers as it should.
#include <cstdio>
#include <vector>

#include "base/features.h"
#include "base/random.h"
#include "base/text.h"
#include "model/cost.h"
#include "model/zoo/zoo.h"

int main() {
  std::printf("Cambium %.*s\n", static_cast<int>(cambium::version().size()),
              cambium::version().data());
  cambium::Rng rng(1);
  const bool same_numbers = rng.next_u64() == 13521585773706572465u;

  const auto model = cambium::model::zoo::build("resnet18");
  const auto refused = cambium::model::zoo::build("resnet1");
  if (!model.ok() || refused.ok()) return 1;
  const cambium::model::Cost cost = cambium::model::cost_of(*model);
  std::printf("resnet18 has %s parameters; refused: %s\n",
              cambium::human_count(static_cast<double>(cost.params)).c_str(),
              refused.rejection().message().c_str());
  return same_numbers && cost.params == 11689512 ? 0 : 1;
}
