#ifndef CQ_CUBLAS_V2_H
#define CQ_CUBLAS_V2_H
#include <cublas_api.h>
#endif
