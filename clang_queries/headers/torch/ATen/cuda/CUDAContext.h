#include <cq_torch.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusparse.h>
