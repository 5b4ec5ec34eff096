#include <cq_simd_types.h>
