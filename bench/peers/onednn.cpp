#include <unordered_map>

#include <dnnl.hpp>
#include <omp.h>

#include "peers/peer.h"

namespace cambium::bench {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

memory filled(const memory::desc& description) {
  memory m(description, engine());
  auto* data = static_cast<float*>(m.get_data_handle());
  for (std::size_t i = 0; i < description.get_size() / sizeof(float); ++i) {
    data[i] = static_cast<float>(i % 17) / 16.0f - 0.5f;
  }
  return m;
}

class OneDnnPeer : public Peer {
 public:
  template <class Description>
  OneDnnPeer(std::string peer, const Description& description, std::unordered_map<int, memory> args)
      : primitive_(description), arguments_(std::move(args)), stream_(engine()) {
    name = std::move(peer);
    implementation = description.impl_info_str();
  }
  void run() override {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
  dnnl::stream stream_;
};

Tag channels_last(std::size_t rank) {
  return rank == 3 ? Tag::nwc : rank == 4 ? Tag::nhwc : Tag::ndhwc;
}

Dims weight_dims(const ConvShape& c) {
  Dims dims;
  if (c.groups > 1) dims.push_back(c.groups);
  dims.push_back(c.output[1] / c.groups);
  dims.push_back(c.input[1] / c.groups);
  dims.insert(dims.end(), c.kernel.begin(), c.kernel.end());
  return dims;
}

// Of a transposed convolution `how` says nothing.
std::unique_ptr<Peer> convolution(const ConvShape& c, const std::string& name, Tag tag,
                                  dnnl::algorithm how = dnnl::algorithm::convolution_direct) {
  const std::size_t rank = c.kernel.size();
  const auto f32 = memory::data_type::f32;
  const memory::desc source(c.input, f32, tag), weights(weight_dims(c), f32, Tag::any),
      target(c.output, f32, tag), bias({c.output[1]}, f32, Tag::x);
  const Dims left(c.pads.begin(), c.pads.begin() + static_cast<std::ptrdiff_t>(rank)),
      right(c.pads.begin() + static_cast<std::ptrdiff_t>(rank), c.pads.end());
  Dims dilations = c.dilations;
  for (auto& d : dilations) d -= 1;
  const auto inference = dnnl::prop_kind::forward_inference;
  dnnl::primitive_attr attributes;
  if (c.has_epilogue) {
    dnnl::post_ops after;
    after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attributes.set_post_ops(after);
  }
  const auto finish = [&](const auto& description) {
    std::unordered_map<int, memory> args{{DNNL_ARG_SRC, filled(description.src_desc())},
                                         {DNNL_ARG_WEIGHTS, filled(description.weights_desc())},
                                         {DNNL_ARG_DST, filled(description.dst_desc())}};
    if (c.has_epilogue) args.emplace(DNNL_ARG_BIAS, filled(bias));
    return std::make_unique<OneDnnPeer>(name, description, std::move(args));
  };
  if (c.is_transposed) {
    using Deconvolution = dnnl::deconvolution_forward;
    return finish(Deconvolution::primitive_desc(
        Deconvolution::desc(inference, dnnl::algorithm::deconvolution_direct, source, weights,
                            target, c.strides, dilations, left, right),
        engine()));
  }
  using Convolution = dnnl::convolution_forward;
  return finish(Convolution::primitive_desc(
      c.has_epilogue ? Convolution::desc(inference, how, source, weights, bias, target, c.strides,
                                         dilations, left, right)
                     : Convolution::desc(inference, how, source, weights, target, c.strides,
                                         dilations, left, right),
      attributes, engine()));
}

// Nothing where oneDNN has no Winograd for the shape, which it says by throwing.
std::unique_ptr<Peer> winograd(const ConvShape& c) {
  if (c.is_transposed) return nullptr;
  try {
    return convolution(c, "onednn-winograd", Tag::any, dnnl::algorithm::convolution_winograd);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

std::unique_ptr<Peer> matmul(const MatMulShape& m) {
  const auto f32 = memory::data_type::f32;
  const Dims a{m.batch, m.rows, m.reduce}, b{m.batch, m.reduce, m.columns},
      c{m.batch, m.rows, m.columns};
  // Of attention: [length, heads, depth], read through strides.
  const Dims a_heads{m.reduce, m.batch * m.reduce, 1}, b_heads{m.reduce, 1, m.batch * m.reduce};
  const memory::desc left =
      m.heads ? memory::desc(a, f32, a_heads) : memory::desc(a, f32, Tag::abc);
  const memory::desc right = m.heads ? memory::desc(b, f32, b_heads)
                                     : memory::desc(b, f32, m.has_weights ? Tag::any : Tag::abc);
  const dnnl::matmul::primitive_desc description(
      dnnl::matmul::desc(left, right, memory::desc(c, f32, Tag::abc)), engine());
  std::unordered_map<int, memory> args{{DNNL_ARG_SRC, filled(description.src_desc())},
                                       {DNNL_ARG_WEIGHTS, filled(description.weights_desc())},
                                       {DNNL_ARG_DST, filled(description.dst_desc())}};
  return std::make_unique<OneDnnPeer>("onednn", description, std::move(args));
}

std::unique_ptr<Peer> softmax(const SoftmaxShape& s) {
  const memory::desc rows({s.rows, s.columns}, memory::data_type::f32, Tag::ab);
  const dnnl::softmax_forward::primitive_desc description(
      dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, rows, 1), engine());
  std::unordered_map<int, memory> args{{DNNL_ARG_SRC, filled(rows)}, {DNNL_ARG_DST, filled(rows)}};
  return std::make_unique<OneDnnPeer>("onednn", description, std::move(args));
}

}  // namespace

std::vector<std::unique_ptr<Peer>> onednn_peers(const Shape& shape, int threads) {
  omp_set_num_threads(threads);
  std::vector<std::unique_ptr<Peer>> peers;
  if (const auto* c = std::get_if<ConvShape>(&shape)) {
    peers.push_back(convolution(*c, "onednn-nhwc", channels_last(c->input.size())));
    peers.push_back(convolution(*c, "onednn-any", Tag::any));
    if (auto peer = winograd(*c)) peers.push_back(std::move(peer));
  } else if (const auto* m = std::get_if<MatMulShape>(&shape)) {
    peers.push_back(matmul(*m));
  } else if (const auto* s = std::get_if<SoftmaxShape>(&shape)) {
    peers.push_back(softmax(*s));
  }
  return peers;
}

}  // namespace cambium::bench
