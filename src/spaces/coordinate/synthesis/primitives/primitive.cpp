#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

void use_up(State& state, CoordId coord) {
  for (std::size_t i = 0; i < state.data.size(); ++i) {
    if (state.data[i] == coord) return state.data.erase(i);
  }
  CAMBIUM_CHECK(false, "a step uses up what is not there");
}

}  // namespace cambium::spaces::coordinate::synthesis
