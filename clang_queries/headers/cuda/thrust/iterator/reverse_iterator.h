#include <thrust/cq_iterators.h>
