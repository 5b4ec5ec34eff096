#ifndef CQ_STD_CXXABI_H
#define CQ_STD_CXXABI_H
#include <typeinfo>
CQ_BEGIN_CXX
namespace abi { extern "C" char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status); }
namespace __cxxabiv1 { extern "C" char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status); }
CQ_END_CXX
#endif
