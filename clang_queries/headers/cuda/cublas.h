#ifndef CQ_CUBLAS_H
#define CQ_CUBLAS_H
// The old interface without a handle; some names are also those of the new one.
#include <cuComplex.h>
#include <cuda_runtime.h>
typedef int cublasStatus;
#ifndef CUBLAS_STATUS_SUCCESS
#define CUBLAS_STATUS_SUCCESS 0
#endif
CQ_BEGIN_C
cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);
cublasStatus cublasAlloc(int count, int element_size, void **data);
cublasStatus cublasFree(void *data);
void cublasSaxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void cublasScopy(int n, const float *x, int incx, float *y, int incy);
void cublasSscal(int n, float alpha, float *x, int incx);
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
float cublasSnrm2(int n, const float *x, int incx);
void cublasSgemv(char trans, int m, int n, float alpha, const float *a, int lda, const float *x, int incx, float beta, float *y, int incy);
void cublasSgemm(char transa, char transb, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cublasDaxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void cublasDcopy(int n, const double *x, int incx, double *y, int incy);
void cublasDscal(int n, double alpha, double *x, int incx);
double cublasDdot(int n, const double *x, int incx, const double *y, int incy);
double cublasDnrm2(int n, const double *x, int incx);
void cublasDgemv(char trans, int m, int n, double alpha, const double *a, int lda, const double *x, int incx, double beta, double *y, int incy);
void cublasDgemm(char transa, char transb, int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
CQ_END_C
#endif
