#include <vector>

#include <libxsmm.h>

#include "peers/peer.h"

namespace cambium::bench {
namespace {

// Kernels made by libxsmm at run time, one per product of blocks; where the whole product is small
// enough, one call. Its matrices are column-major: C = A * B in rows is C' = B' * A' in columns.
class SmallGemm : public Peer {
 public:
  explicit SmallGemm(const MatMulShape& shape)
      : batch_(shape.batch),
        m_(static_cast<libxsmm_blasint>(shape.rows)),
        n_(static_cast<libxsmm_blasint>(shape.columns)),
        k_(static_cast<libxsmm_blasint>(shape.reduce)),
        a_(static_cast<std::size_t>(shape.batch * shape.rows * shape.reduce), 0.5f),
        b_(static_cast<std::size_t>(shape.batch * shape.reduce * shape.columns), 0.5f),
        c_(static_cast<std::size_t>(shape.batch * shape.rows * shape.columns)) {
    libxsmm_init();
    const float none = 0;
    const int flags = LIBXSMM_GEMM_FLAG_NONE;
    first_ =
        libxsmm_smmdispatch(kBlock, kBlock, kBlock, &n_, &k_, &n_, nullptr, &none, &flags, nullptr);
    next_ = libxsmm_smmdispatch(kBlock, kBlock, kBlock, &n_, &k_, &n_, nullptr, nullptr, &flags,
                                nullptr);
    name = implementation = "libxsmm";
  }
  bool is_possible() const { return first_ != nullptr && next_ != nullptr; }
  static bool fits(const MatMulShape& shape) {
    return !shape.heads && shape.rows % kBlock == 0 && shape.columns % kBlock == 0 &&
           shape.reduce % kBlock == 0;
  }

  void run() override {
    for (std::int64_t i = 0; i < batch_; ++i) {
      multiply(a_.data() + i * m_ * k_, b_.data() + i * k_ * n_, c_.data() + i * m_ * n_);
    }
  }

 private:
  static constexpr libxsmm_blasint kBlock = 32;

  void multiply(const float* a, const float* b, float* c) const {
    for (libxsmm_blasint n = 0; n < n_; n += kBlock) {
      for (libxsmm_blasint m = 0; m < m_; m += kBlock) {
        for (libxsmm_blasint k = 0; k < k_; k += kBlock) {
          (k == 0 ? first_ : next_)(b + k * n_ + n, a + m * k_ + k, c + m * n_ + n);
        }
      }
    }
  }

  std::int64_t batch_;
  libxsmm_blasint m_, n_, k_;
  std::vector<float> a_, b_, c_;
  libxsmm_smmfunction first_ = nullptr, next_ = nullptr;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> libxsmm_peers(const Shape& shape, int threads) {
  std::vector<std::unique_ptr<Peer>> peers;
  const auto* m = std::get_if<MatMulShape>(&shape);
  if (m == nullptr || threads != 1 || !SmallGemm::fits(*m)) return peers;
  auto peer = std::make_unique<SmallGemm>(*m);
  if (peer->is_possible()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace cambium::bench
