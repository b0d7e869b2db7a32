#include <exception>

#include "peers/peer.h"

namespace cambium::bench {
namespace {

struct Library {
  const char* name;
  std::vector<std::unique_ptr<Peer>> (*peers)(const Shape& shape, int threads);
};
constexpr Library kLibraries[] = {
    {"onednn", onednn_peers}, {"openblas", openblas_peers}, {"libxsmm", libxsmm_peers}};

}  // namespace

VendorPeers vendor_peers(const Shape& shape, int threads) {
  VendorPeers all;
  for (const Library& library : kLibraries) {
    try {
      auto peers = library.peers(shape, threads);
      if (peers.empty()) {
        all.missing.push_back({library.name, threads == 1
                                                 ? "it has nothing for this operator"
                                                 : "it has nothing for this operator on threads"});
      }
      for (auto& peer : peers) all.peers.push_back(std::move(peer));
    } catch (const std::exception& error) {
      all.missing.push_back({library.name, error.what()});
    }
  }
  return all;
}

VendorPeers no_vendor_peers(const std::string& why) {
  VendorPeers all;
  for (const Library& library : kLibraries) all.missing.push_back({library.name, why});
  return all;
}

}  // namespace cambium::bench
