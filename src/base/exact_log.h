// The natural logarithm, the same bits on every machine. libm's differs in the last bit between
// processors (it picks an FMA variant at run time), and one bit is enough to send two machines down
// different paths of a search.
#pragma once

namespace cambium {

double exact_log(double x);  // x > 0, finite; within a few units in the last place

}  // namespace cambium
