// Language models: GPT-2 (Radford et al. 2019), a tiny one of its kind, and a BERT encoder of six
// layers (Devlin et al. 2019; the shape of DistilBERT, Sanh et al. 2019). Tokens are i64.
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"
#include "model/zoo/transformer.h"

namespace cambium::model::zoo {

namespace {

struct LanguageSpec {
  std::int64_t heads, head_width, length, vocabulary;
  int depth;
};

Value embed(Net& net, Value tokens, const std::string& name, std::int64_t vocabulary,
            std::int64_t width) {
  const Value table =
      net.weight(name, {vocabulary, width}, Fill::Law::Normal, kTransformerDeviation);
  return net.builder().add(Gather{0}, {table, tokens});
}

// Positions are learned for exactly the tokens that the model reads, so adding them needs no
// lookup.
Value add_positions(Net& net, Value x, const std::string& name) {
  if (!net.builder().ok()) return {};
  return net.add(x, net.weight(name, {net.dims(x)[1], net.dims(x)[2]}, Fill::Law::Normal,
                               kTransformerDeviation));
}

Result<Model> build_gpt(std::string_view name, const ZooOptions& options,
                        const LanguageSpec& spec) {
  Net net(name, options);
  Builder& b = net.builder();
  const std::int64_t heads = net.width(spec.heads);
  const std::int64_t width = heads * spec.head_width;
  const std::int64_t vocabulary = net.classes(spec.vocabulary);
  const Value tokens = net.input_tokens(spec.length);
  Value x = embed(net, tokens, "wte.weight", vocabulary, width);
  if (!b.ok()) return std::move(net).finish();
  const Value table = b.node(x.node).inputs[0];
  x = add_positions(net, x, "wpe.weight");
  const Value mask = causal_mask(net, net.length(spec.length));
  for (int i = 0; i < spec.depth; ++i) {
    const std::string block = "h." + std::to_string(i);
    b.begin_block(block, "transformer");
    Value y =
        attention(net, net.layer_norm(x, block + ".ln_1"), block + ".attn",
                  {.heads = heads, .joint_name = "c_attn", .out_name = "c_proj", .mask = mask});
    x = net.add(x, y);
    y = mlp(net, net.layer_norm(x, block + ".ln_2"), block + ".mlp",
            {.act = Act::GeluTanh, .in_name = "c_fc", .out_name = "c_proj"});
    x = net.add(x, y);
    b.end_block();
  }
  x = net.layer_norm(x, "ln_f");
  // The table of the embedding gives the scores too (one weight, read twice).
  const std::int64_t rows = options.batch * net.length(spec.length);
  x = b.add(Gemm{1, 1, false, true}, {net.reshape(x, {rows, width}), table}, "lm_head");
  net.output(net.reshape(x, {options.batch, net.length(spec.length), vocabulary}));
  return std::move(net).finish();
}

}  // namespace

Result<Model> gpt2(std::string_view name, const ZooOptions& options) {
  return build_gpt(
      name, options,
      {.heads = 12, .head_width = 64, .length = 1024, .vocabulary = 50257, .depth = 12});
}

Result<Model> tiny_gpt(std::string_view name, const ZooOptions& options) {
  return build_gpt(name, options,
                   {.heads = 4, .head_width = 32, .length = 64, .vocabulary = 256, .depth = 4});
}

Result<Model> bert_mini6(std::string_view name, const ZooOptions& options) {
  Net net(name, options);
  Builder& b = net.builder();
  const std::int64_t heads = net.width(12);
  Value x = embed(net, net.input_tokens(128), "embeddings.word_embeddings.weight",
                  net.classes(30522), heads * 64);
  x = add_positions(net, x, "embeddings.position_embeddings.weight");
  x = net.layer_norm(x, "embeddings.LayerNorm", 1e-12);
  for (int i = 0; i < 6; ++i) {
    const std::string block = "layer." + std::to_string(i);
    b.begin_block(block, "transformer");
    // Unlike GPT-2, the normalization comes behind each sum.
    Value y = attention(net, x, block + ".attention",
                        {.heads = heads, .joint = false, .out_name = "output"});
    x = net.layer_norm(net.add(x, y), block + ".attention.LayerNorm", 1e-12);
    y = mlp(net, x, block + ".mlp", {.in_name = "intermediate", .out_name = "output"});
    x = net.layer_norm(net.add(x, y), block + ".LayerNorm", 1e-12);
    b.end_block();
  }
  b.output("hidden", x);
  return std::move(net).finish();
}

}  // namespace cambium::model::zoo
