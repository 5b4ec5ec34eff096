#include <hipblas/hipblas.h>
