// The only place where stb's code is compiled. Allocation goes through a bound, because a PNG may
// inflate to a thousand times its size before anybody looks at its header.
#include <cstddef>
#include <cstdlib>

namespace {

constexpr std::size_t kMaxAllocation = std::size_t{512} << 20;

[[maybe_unused]] void* bounded_malloc(std::size_t bytes) {
  return bytes > kMaxAllocation ? nullptr : std::malloc(bytes);
}

[[maybe_unused]] void* bounded_realloc(void* old, std::size_t bytes) {
  return bytes > kMaxAllocation ? nullptr : std::realloc(old, bytes);
}

}  // namespace

#define STBI_MALLOC(bytes) bounded_malloc(bytes)
#define STBI_REALLOC(old, bytes) bounded_realloc(old, bytes)
#define STBI_FREE(old) std::free(old)
#define STBI_MAX_DIMENSIONS 16384
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNM
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb_image_resize.h>
