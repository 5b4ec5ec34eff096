#ifndef CQ_THRUST_SYSTEM_ERROR_H
#define CQ_THRUST_SYSTEM_ERROR_H
#include <system_error>
#include <thrust/cq_thrust.h>
namespace thrust {
using std::error_code; using std::system_error;
const std::error_category &cuda_category();
namespace system { using std::system_error; using std::error_code; }
}
#endif
