# The headers that `make install` installs, under include/cambium: what a program that uses Cambium
# may include. Public headers include only public headers (tools/check_layers.py).
set(CAMBIUM_PUBLIC_HEADERS
  base/check.h
  base/dtype.h
  base/features.h
  base/file.h
  base/fingerprint.h
  base/json.h
  base/log.h
  base/process.h
  base/random.h
  base/reasons.h
  base/rejection.h
  base/result.h
  base/text.h
  base/thread_pool.h)
