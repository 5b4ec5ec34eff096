#include <curand_kernel.h>
