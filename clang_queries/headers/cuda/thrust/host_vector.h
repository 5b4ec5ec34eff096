#include <thrust/cq_algorithms.h>
#include <thrust/cq_vector.h>
