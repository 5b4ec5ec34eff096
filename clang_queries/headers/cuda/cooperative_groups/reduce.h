#include <chrono>
#include <cooperative_groups.h>
