# cmake -DOUT=source -DNAME=kSomething -DNAMESPACE=a::b -DFILES=a;b;c -P source_hash.cmake
#
# Writes a source with one constant: a hash of the contents of the files, in their order. It depends
# on nothing else (no git, no paths, no clock), and the source is touched only when the hash is another.
set(all "")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
namespace @NAMESPACE@ {

extern const char* const @NAME@;
const char* const @NAME@ = "@hash@";

}  // namespace @NAMESPACE@
]] @ONLY)
