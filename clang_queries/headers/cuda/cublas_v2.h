#ifndef CQ_CUBLAS_V2_H
#define CQ_CUBLAS_V2_H
#define CUBLAS_V2_H_
#include <cublas_api.h>
#endif
