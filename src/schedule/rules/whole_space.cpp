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
      {"slab-images", "slabs of rows between zeros of their own as images", make_slab_images},
      {"merge-narrow-groups", "groups narrower than a vector share one", merge_narrow_groups},
      {"fold", "elementwise blocks go where they are read", fold_elementwise},
      {"pieces", "sums that write parts of one buffer apart", separate_pieces},
      {"unread", "locals as far as they are read", drop_unread},
      {"winograd", "3x3 convolutions of stride 1 with fewer products", use_winograd},
      {"contraction-tile", "contractions around a register tile", tile_contraction},
      rfactor_rule({.only_threads = true}),
      {"window-tile", "windows with neighbours side by side in registers", tile_window},
      {"fuse-rows", "blocks go under the loop over rows of their readers", fuse_rows},
      {"lane-reduction", "reductions along memory in vectors", reduce_in_lanes},
      {"padding", "zeros around data: filled apart, or copied where they are read", place_padding},
      {"activation-layout", "the order in memory of what blocks hand on", choose_activation_layout},
      {"initial-values", "initial values become blocks",
       [](Draft& draft, const std::string&) { return decompose_all(draft.schedule()); }},
      {"place-panels", "packed operands as a whole, or panel by panel where they are read",
       place_panels},
      {"transpose-copy", "copies between two orders of memory in square tiles", transpose_copy},
      {"vector-loops", "other loops in vectors", vectorize_loops},
      {"parallel-loops", "outer loops shared among threads", run_in_parallel},
  }};
}

}  // namespace cambium::schedule
