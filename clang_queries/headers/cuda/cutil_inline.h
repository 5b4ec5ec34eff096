#include <cutil.h>
