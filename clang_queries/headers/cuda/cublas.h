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
void cublasStrsm(char side, char uplo, char trans, char diag, int m, int n, float alpha, const float *a, int lda, float *b, int ldb);
void cublasSsyrk(char uplo, char trans, int n, int k, float alpha, const float *a, int lda, float beta, float *c, int ldc);
void cublasSswap(int n, float *x, int incx, float *y, int incy);
int cublasIsamax(int n, const float *x, int incx);
float cublasSasum(int n, const float *x, int incx);
void cublasSger(int m, int n, float alpha, const float *x, int incx, const float *y, int incy, float *a, int lda);
void cublasDtrsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void cublasDsyrk(char uplo, char trans, int n, int k, double alpha, const double *a, int lda, double beta, double *c, int ldc);
void cublasDswap(int n, double *x, int incx, double *y, int incy);
int cublasIdamax(int n, const double *x, int incx);
double cublasDasum(int n, const double *x, int incx);
void cublasDger(int m, int n, double alpha, const double *x, int incx, const double *y, int incy, double *a, int lda);
cublasStatus cublasSetVector(int count, int element_size, const void *from, int from_step, void *to, int to_step);
cublasStatus cublasGetVector(int count, int element_size, const void *from, int from_step, void *to, int to_step);
cublasStatus cublasSetMatrix(int rows, int columns, int element_size, const void *a, int lda, void *b, int ldb);
cublasStatus cublasGetMatrix(int rows, int columns, int element_size, const void *a, int lda, void *b, int ldb);
void cublasSetKernelStream(cudaStream_t stream);
CQ_END_C
#endif
