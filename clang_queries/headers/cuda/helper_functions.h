#ifndef CQ_HELPER_FUNCTIONS_H
#define CQ_HELPER_FUNCTIONS_H
#include <assert.h>
#include <math.h>
#include <helper_image.h>
#include <helper_string.h>
#include <helper_timer.h>
#if defined(__cplusplus)
#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>
#endif
#endif
