#include <thrust/cq_thrust.h>
