#include <thrust/cq_algorithms.h>
