#ifndef CQ_SAMPLE_EXCEPTION_H
#define CQ_SAMPLE_EXCEPTION_H
#include <stdexcept>
#endif
