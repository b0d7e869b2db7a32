#include "spaces/coordinate/known.h"

#include <algorithm>
#include <string>
#include <vector>

#include "spaces/coordinate/document.h"

namespace cambium::spaces::coordinate {
namespace {

constexpr std::string_view kImage = "N=1, Ci=8, Co=12, H=6, W=7, k=3, g=2, s=2";

constexpr KnownOperator kKnown[] = {
    {"linear", "fully connected",
     "operator [N, Ci] -> [N, Co]\n"
     "out   n, o\n"
     "sum   i: Ci\n"
     "x     n, i\n"
     "w1    o, i\n",
     "N=3, Ci=5, Co=4", 2},
    {"scale", "one factor for each channel",
     "operator [N, C, H, W] -> [N, C, H, W]\n"
     "out   n, c, h, w\n"
     "x     n, c, h, w\n"
     "w1    c\n",
     "N=2, C=3, H=4, W=5", 1},
    {"conv1d", "convolution over one axis",
     "operator [N, Ci, L] -> [N, Co, L]\n"
     "out   n, o, l\n"
     "sum   i: Ci, a: k\n"
     "x     n, i, unfold(l, a)\n"
     "w1    o, i, a\n",
     "N=2, Ci=3, Co=4, L=7, k=3", 4},
    {"conv2d", "convolution over two axes",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   i: Ci, a: k, b: k\n"
     "x     n, i, unfold(h, a), unfold(w, b)\n"
     "w1    o, i, a, b\n",
     kImage, 6},
    {"grouped_conv2d", "convolution of each of g groups of channels",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   i: Ci/g, a: k, b: k\n"
     "x     n, split(high(o, Co/g), i), unfold(h, a), unfold(w, b)\n"
     "w1    high(o, Co/g), low(o, Co/g), i, a, b\n",
     kImage, 8},
    {"depthwise_conv2d", "convolution of each channel by itself",
     "operator [N, C, H, W] -> [N, C, H, W]\n"
     "out   n, c, h, w\n"
     "sum   a: k, b: k\n"
     "x     n, c, unfold(h, a), unfold(w, b)\n"
     "w1    c, a, b\n",
     "N=2, C=3, H=6, W=7, k=3", 5},
    {"dilated_conv2d", "convolution with gaps in its window",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   i: Ci, a: k, b: k\n"
     "x     n, i, unfold(h, stride(a, s)), unfold(w, stride(b, s))\n"
     "w1    o, i, a, b\n",
     kImage, 8},
    {"strided_conv2d", "convolution of every s-th position",
     "operator [N, Ci, s*H, s*W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   i: Ci, a: k, b: k\n"
     "x     n, i, unfold(stride(h, s), a), unfold(stride(w, s), b)\n"
     "w1    o, i, a, b\n",
     "N=2, Ci=3, Co=4, H=3, W=4, k=3, s=2", 8},
    {"separable_conv2d", "depthwise and pointwise convolution in one",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   i: Ci, a: k, b: k\n"
     "x     n, i, unfold(h, a), unfold(w, b)\n"
     "w1    o, i\n"
     "w2    i, a, b\n",
     kImage, 7},
    {"average_pool2d", "averages of blocks of s by s",
     "operator [N, C, s*H, s*W] -> [N, C, H, W]\n"
     "out   n, c, h, w\n"
     "sum   a: s, b: s\n"
     "x     n, c, split(h, a), split(w, b)\n",
     "N=2, C=3, H=3, W=4, s=2", 4},
    {"upsample2d", "each position repeated s by s times",
     "operator [N, C, H, W] -> [N, C, s*H, s*W]\n"
     "out     n, c, h, w\n"
     "x       n, c, high(h, s), high(w, s)\n"
     "expand  low(h, s), low(w, s)\n",
     "N=2, C=3, H=3, W=4, s=2", 4},
    {"pixel_shuffle", "blocks of s*s channels become s by s positions",
     "operator [N, s^2*C, H, W] -> [N, C, s*H, s*W]\n"
     "out   n, c, h, w\n"
     "x     n, split(split(c, low(h, s)), low(w, s)), high(h, s), high(w, s)\n",
     "N=2, C=3, H=3, W=4, s=2", 4},
    {"shift_conv2d", "one axis shifted, the other convolved",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   i: Ci, b: k\n"
     "x     n, i, shift(h), unfold(w, b)\n"
     "w1    o, i, b\n",
     kImage, 5},
    {"qkv_per_head", "query, key and value of each of g heads from its own features",
     "operator [N, S, C] -> [N, S, t*C]\n"
     "out   n, p, j\n"
     "sum   r: C/g\n"
     "x     n, p, split(low(high(j, C/g), g), r)\n"
     "w1    r, high(high(j, C/g), g), low(j, C/g), low(high(j, C/g), g)\n",
     "N=2, S=3, C=8, t=3, g=2", 5},
    {"operator1", "OPERATOR 1 of the Syno paper: the window of one stage is weighed in the next",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   G: g, i: Ci/g, a: k, b: k, c: Co/(g*s)\n"
     "x     n, split(G, i), unfold(h, a), unfold(w, b)\n"
     "w1    o, G, a, b, c\n"
     "w2    b, c, split(G, i)\n",
     kImage, 10},
    {"operator2", "OPERATOR 2 of the Syno paper: two convolutions over one axis each, one shifted",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   G: g, i: Ci/g, a: k, b: k, c: Co/(g*s)\n"
     "x     n, split(G, i), shift(unfold(h, a)), unfold(w, b)\n"
     "w1    o, G, a, c\n"
     "w2    b, c, split(G, i)\n",
     kImage, 11},
    {"gpt2_projection", "the projection that Syno found for GPT-2: features in two groups",
     "operator [N, S, H] -> [N, S, t*H]\n"
     "out   n, p, j\n"
     "sum   r: H/k\n"
     "x     n, p, split(high(low(j, H/(k^3*t)), H/(k^4*t)), r)\n"
     "w1    r, high(j, H/(k^3*t)), low(low(j, H/(k^3*t)), H/(k^4*t))\n",
     "N=2, S=3, H=96, t=3, k=2", 5},
    {"stacked_conv2d", "two grouped convolutions, one after the other: OPERATOR 1's rival",
     "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
     "out   n, o, h, w\n"
     "sum   G: g, i: Ci/g, a: k, b: k, d: k, c: Co/(g*s)\n"
     "x     n, split(G, i), unfold(h, a), unfold(unfold(w, b), d)\n"
     "w1    o, G, a, b, c\n"
     "w2    d, c, split(G, i)\n",
     kImage, 12},
};

}  // namespace

std::span<const KnownOperator> known_operators() {
  return kKnown;
}

const KnownOperator* find_known(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const KnownOperator& known) { return known.name == name; });
  return found == std::end(kKnown) ? nullptr : found;
}

Problem problem_of(const KnownOperator& known) {
  const DocumentShapes shapes = document_shapes(known.document).value();
  const std::vector<std::string> bindings = {std::string(known.binding)};
  return problem_of(shapes.input, shapes.output, bindings).value();
}

Operator operator_of(const KnownOperator& known) {
  return parse(problem_of(known), known.document).value();
}

}  // namespace cambium::spaces::coordinate
