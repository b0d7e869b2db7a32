#include "schedule/rules/activation_layout.h"
#include "schedule/rules/factor_reduction.h"
#include "schedule/rules/initial_values.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/padding.h"
#include "schedule/rules/space.h"
#include "schedule/rules/winograd_rule.h"

namespace cambium::schedule {

Space whole_space() {
  return {{
      {"slab-images", "treat slabs of rows with their own padding as images", make_slab_images},
      {"merge-narrow-groups", "let groups narrower than a vector share a vector",
       merge_narrow_groups},
      {"fold", "compute elementwise blocks where they are read", fold_elementwise},
      {"pieces", "give sums that write parts of one buffer separate buffers", separate_pieces},
      {"unread", "compute only the elements of locals that are read", drop_unread},
      {"winograd", "compute 3x3 convolutions of stride 1 with fewer products", use_winograd},
      {"contraction-tile", "tile contractions for the registers", tile_contraction},
      rfactor_rule({.only_threads = true}),
      {"window-tile", "keep neighbouring results of windows side by side in registers",
       tile_window},
      {"fuse-rows", "move blocks under the loop over rows of their readers", fuse_rows},
      {"lane-reduction", "compute reductions along memory in vectors", reduce_in_lanes},
      {"padding", "fill zeros around data separately, or copy padded data where it is read",
       place_padding},
      {"activation-layout", "choose the memory order of data between blocks",
       choose_activation_layout},
      {"initial-values", "make initial values separate blocks",
       [](Draft& draft, const std::string&) { return decompose_all(draft.schedule()); }},
      {"place-panels", "pack operands as a whole, or panel by panel where they are read",
       place_panels},
      {"transpose-copy", "copy between two memory orders in square tiles", transpose_copy},
      {"vector-loops", "vectorize the loops of other blocks", vectorize_loops},
      {"parallel-loops", "share outer loops among threads", run_in_parallel},
  }};
}

}  // namespace cambium::schedule
