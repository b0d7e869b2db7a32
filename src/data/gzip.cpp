#include "data/gzip.h"

#include <algorithm>

#include <zlib.h>

#include "base/check.h"

namespace cambium::data {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;  // output grows by this much at a time
constexpr int kGzipWindow = 15 + 16;                 // largest window, gzip wrapper only

std::string describe(int code, const z_stream& stream) {
  if (code == Z_BUF_ERROR) return "the gzip stream is cut short";
  if (stream.msg != nullptr) return stream.msg;
  return "the gzip stream is damaged";
}

}  // namespace

bool is_gzip(Bytes bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Inflated inflate_gzip(Bytes compressed, std::size_t bound) {
  Inflated out;
  z_stream stream{};
  CAMBIUM_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK, "zlib does not start");

  std::size_t consumed = 0;
  int code = Z_OK;
  while (code == Z_OK && out.bytes.size() < bound) {
    const std::size_t before = out.bytes.size();
    const std::size_t room = std::min(kStep, bound - before);
    const std::size_t feed = std::min(kStep, compressed.size() - consumed);
    out.bytes.resize(before + room);
    // zlib's interface predates const; inflate never writes through next_in.
    stream.next_in = const_cast<Bytef*>(compressed.data() + consumed);
    stream.avail_in = static_cast<uInt>(feed);
    stream.next_out = out.bytes.data() + before;
    stream.avail_out = static_cast<uInt>(room);
    code = inflate(&stream, Z_NO_FLUSH);
    consumed += feed - stream.avail_in;
    out.bytes.resize(before + room - stream.avail_out);
  }
  if (code == Z_STREAM_END) {
    out.ended = true;
  } else if (code != Z_OK) {
    out.problem = describe(code, stream);
  }
  inflateEnd(&stream);
  return out;
}

}  // namespace cambium::data
