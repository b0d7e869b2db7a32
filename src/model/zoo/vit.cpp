// Vision transformers (Dosovitskiy et al. 2021): the small one with a class token, and alphaNAS's
// form that averages the tokens instead.
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"
#include "model/zoo/transformer.h"

namespace cambium::model::zoo {

namespace {

constexpr std::int64_t kPatch = 16;
constexpr std::int64_t kHeadWidth = 64;
constexpr int kDepth = 12;

struct ViT {
  Net net;
  std::int64_t heads;

  ViT(std::string_view name, const ZooOptions& options) : net(name, options), heads(net.width(6)) {}

  // [batch, patches, width]
  Value patches() {
    Value x = net.conv(net.input_image(3, 224), "patch_embed.proj",
                       {.out = heads * kHeadWidth,
                        .kernel = kPatch,
                        .stride = kPatch,
                        .bias = true,
                        .padding = Padding::None});
    if (!net.builder().ok()) return {};
    const Ints dims = net.dims(x);
    x = net.reshape(x, {dims[0], dims[1], dims[2] * dims[3]});
    return net.builder().add(Transpose{{0, 2, 1}}, {x});
  }

  Value add_positions(Value x) {
    if (!net.builder().ok()) return {};
    return net.add(x, net.weight("pos_embed", {1, net.dims(x)[1], net.dims(x)[2]},
                                 Fill::Law::Normal, kTransformerDeviation));
  }

  Value norm(Value x, const std::string& name) { return net.layer_norm(x, name, 1e-6); }

  // One vector for all images of the batch.
  Value class_token() {
    const std::int64_t width = heads * kHeadWidth;
    const Value token =
        net.weight("cls_token", {1, 1, width}, Fill::Law::Normal, kTransformerDeviation);
    const std::int64_t batch = net.options().batch;
    return batch == 1 ? token : net.builder().add(Expand{{batch, 1, width}}, {token});
  }
};

}  // namespace

Result<Model> vit_s16(std::string_view name, const ZooOptions& options) {
  ViT vit(name, options);
  Builder& b = vit.net.builder();
  Value x = vit.patches();
  x = vit.add_positions(b.add(Concat{1}, {vit.class_token(), x}));
  for (int i = 0; i < kDepth; ++i) {
    const std::string block = "blocks." + std::to_string(i);
    b.begin_block(block, "transformer");
    Value y =
        attention(vit.net, vit.norm(x, block + ".norm1"), block + ".attn", {.heads = vit.heads});
    x = vit.net.add(x, y);
    x = vit.net.add(x, mlp(vit.net, vit.norm(x, block + ".norm2"), block + ".mlp", {}));
    b.end_block();
  }
  if (!b.ok()) return std::move(vit.net).finish();
  x = vit.norm(x, "norm");
  const Ints dims = vit.net.dims(x);
  x = b.add(Slice{{0, 0, 0}, {dims[0], 1, dims[2]}, {1, 1, 1}}, {x});
  x = vit.net.reshape(x, {dims[0], dims[2]});
  vit.net.output(vit.net.linear(x, "head", vit.net.classes(1000)));
  return std::move(vit.net).finish();
}

Result<Model> vit_s16_alphanas(std::string_view name, const ZooOptions& options) {
  ViT vit(name, options);
  Builder& b = vit.net.builder();
  Value x = vit.add_positions(vit.patches());
  for (int i = 0; i < kDepth; ++i) {
    const std::string block = "blocks." + std::to_string(i);
    // What alphaNAS may rewrite lies between the normalization and the sum.
    Value y = vit.norm(x, block + ".norm1");
    b.begin_block(block + ".attn", "mhdpa");
    y = attention(vit.net, y, block + ".attn", {.heads = vit.heads, .joint = false});
    b.end_block();
    x = vit.net.add(x, y);
    y = vit.norm(x, block + ".norm2");
    b.begin_block(block + ".mlp", "mlp");
    y = mlp(vit.net, y, block + ".mlp", {});
    b.end_block();
    x = vit.net.add(x, y);
  }
  x = b.add(Reduce{ReduceFn::Mean, {1}, false}, {vit.norm(x, "norm")});
  vit.net.output(vit.net.linear(x, "head", vit.net.classes(1000)));
  return std::move(vit.net).finish();
}

}  // namespace cambium::model::zoo
