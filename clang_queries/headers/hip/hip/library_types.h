#include <library_types.h>
