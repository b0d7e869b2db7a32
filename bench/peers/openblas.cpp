#include <vector>

#include <cblas.h>

#include "peers/peer.h"

namespace cambium::bench {
namespace {

class Norm : public Peer {
 public:
  explicit Norm(const NormShape& shape) : x_(static_cast<std::size_t>(shape.elements), 0.5f) {
    name = implementation = "openblas-snrm2";
  }
  void run() override { result_ = cblas_snrm2(static_cast<int>(x_.size()), x_.data(), 1); }

 private:
  std::vector<float> x_;
  volatile float result_ = 0;
};

class Gemm : public Peer {
 public:
  explicit Gemm(const MatMulShape& shape)
      : batch_(shape.batch),
        m_(static_cast<int>(shape.rows)),
        n_(static_cast<int>(shape.columns)),
        k_(static_cast<int>(shape.reduce)),
        a_(static_cast<std::size_t>(shape.batch * shape.rows * shape.reduce), 0.5f),
        b_(static_cast<std::size_t>(shape.batch * shape.reduce * shape.columns), 0.5f),
        c_(static_cast<std::size_t>(shape.batch * shape.rows * shape.columns)) {
    name = implementation = "openblas-sgemm";
  }
  void run() override {
    for (std::int64_t i = 0; i < batch_; ++i) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, 1.0f,
                  a_.data() + i * m_ * k_, k_, b_.data() + i * k_ * n_, n_, 0.0f,
                  c_.data() + i * m_ * n_, n_);
    }
  }

 private:
  std::int64_t batch_;
  int m_, n_, k_;
  std::vector<float> a_, b_, c_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> openblas_peers(const Shape& shape, int threads) {
  openblas_set_num_threads(threads);
  std::vector<std::unique_ptr<Peer>> peers;
  if (const auto* n = std::get_if<NormShape>(&shape)) {
    peers.push_back(std::make_unique<Norm>(*n));
  } else if (const auto* m = std::get_if<MatMulShape>(&shape)) {
    if (!m->heads) peers.push_back(std::make_unique<Gemm>(*m));
  }
  return peers;
}

}  // namespace cambium::bench
