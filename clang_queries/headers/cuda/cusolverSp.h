#ifndef CQ_CUSOLVER_SP_H
#define CQ_CUSOLVER_SP_H
#include <cusolver_common.h>
#include <cusparse.h>
typedef struct cusolverSpContext *cusolverSpHandle_t;
CQ_BEGIN_C
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpScsrlsvchol(cusolverSpHandle_t handle, int m, int nonzeros, const cusparseMatDescr_t description, const float *values, const int *offsets, const int *indices, const float *b, float tolerance, int reorder, float *x, int *singularity);
cusolverStatus_t cusolverSpDcsrlsvchol(cusolverSpHandle_t handle, int m, int nonzeros, const cusparseMatDescr_t description, const double *values, const int *offsets, const int *indices, const double *b, double tolerance, int reorder, double *x, int *singularity);
cusolverStatus_t cusolverSpScsrlsvqr(cusolverSpHandle_t handle, int m, int nonzeros, const cusparseMatDescr_t description, const float *values, const int *offsets, const int *indices, const float *b, float tolerance, int reorder, float *x, int *singularity);
cusolverStatus_t cusolverSpDcsrlsvqr(cusolverSpHandle_t handle, int m, int nonzeros, const cusparseMatDescr_t description, const double *values, const int *offsets, const int *indices, const double *b, double tolerance, int reorder, double *x, int *singularity);
CQ_END_C
#endif
