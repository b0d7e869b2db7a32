// The natural logarithm, with the same bits on every machine. The result of libm differs in the
// last bit between processors, because libm picks an FMA variant at run time. One bit is enough to
// make a search take different paths on two machines.
#pragma once

namespace cambium {

double exact_log(double x);  // x > 0, finite; within a few units in the last place

}  // namespace cambium
