# cmake -DOUT=header -DNAME=kSomething -DNAMESPACE=a::b -DFILES=a;b;c -P source_hash.cmake
#
# Writes a header with one constant: a hash of the contents of the files, in their order. It depends
# on nothing else (no git, no paths, no clock), and the header is touched only when the hash is another.
set(all "")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#pragma once

namespace @NAMESPACE@ {

inline constexpr const char* @NAME@ = "@hash@";

}  // namespace @NAMESPACE@
]] @ONLY)
