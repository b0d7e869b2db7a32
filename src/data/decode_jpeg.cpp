#include "data/decoders.h"

#ifdef CAMBIUM_DATA_HAS_JPEG
#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs FILE and does not say so

#include <jerror.h>
#include <jpeglib.h>
#endif

namespace cambium::data {

bool is_jpeg(Bytes file) {
  return file.size() >= 3 && file[0] == 0xff && file[1] == 0xd8 && file[2] == 0xff;
}

#ifdef CAMBIUM_DATA_HAS_JPEG

namespace {

constexpr int kMaxScans =
    100;  // a progressive file has about ten; each costs a pass over the image

// libjpeg reports errors by a callback that must not return, hence longjmp. Everything with a
// destructor lives outside the functions that a jump can leave.
struct Decoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape{};
  char message[JMSG_LENGTH_MAX] = {};

  ~Decoder() { jpeg_destroy_decompress(&info); }
};

[[noreturn]] void give_up(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  std::longjmp(decoder->escape, 1);
}

// libjpeg fills what is missing with grey and warns; a truncated file must be refused instead.
void on_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) give_up(info);
}

void on_progress(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  if (decoder->info.input_scan_number <= kMaxScans) return;
  std::snprintf(decoder->message, sizeof decoder->message, "more than %d scans", kMaxScans);
  std::longjmp(decoder->escape, 1);
}

bool read_header(Decoder& decoder, Bytes file) {
  if (setjmp(decoder.escape) != 0) return false;
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = give_up;
  decoder.errors.emit_message = on_message;
  decoder.info.client_data = &decoder;
  jpeg_create_decompress(&decoder.info);
  decoder.progress.progress_monitor = on_progress;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, file.data(), static_cast<unsigned long>(file.size()));
  jpeg_read_header(&decoder.info, TRUE);
  decoder.info.out_color_space = JCS_RGB;
  return true;
}

bool read_pixels(Decoder& decoder, std::uint8_t* pixels) {
  if (setjmp(decoder.escape) != 0) return false;
  jpeg_start_decompress(&decoder.info);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    JSAMPROW row = pixels + std::size_t{decoder.info.output_scanline} * decoder.info.output_width *
                                static_cast<std::size_t>(decoder.info.output_components);
    jpeg_read_scanlines(&decoder.info, &row, 1);
  }
  jpeg_finish_decompress(&decoder.info);
  return true;
}

}  // namespace

Result<Raster> decode_jpeg(Bytes file) {
  Decoder decoder;
  if (!read_header(decoder, file)) return Rejection(Reason::BadImage, decoder.message);
  CAMBIUM_TRY(Raster raster, blank_raster(decoder.info.image_height, decoder.info.image_width));
  if (!read_pixels(decoder, raster.pixels.data()))
    return Rejection(Reason::BadImage, decoder.message);
  return raster;
}

#else

Result<Raster> decode_jpeg(Bytes) {
  return Rejection(Reason::Unavailable, "JPEG", "this build lacks libjpeg");
}

#endif

}  // namespace cambium::data
