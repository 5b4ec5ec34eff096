#ifndef CQ_NVTX3_HPP
#define CQ_NVTX3_HPP
#include <nvToolsExt.h>
namespace nvtx3 {
struct scoped_range { scoped_range(const char *message); ~scoped_range(); };
void mark(const char *message);
}
#define NVTX3_FUNC_RANGE() ((void)0)
#endif
