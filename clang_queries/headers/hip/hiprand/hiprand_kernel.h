#ifndef CQ_HIPRAND_KERNEL_H
#define CQ_HIPRAND_KERNEL_H
#include <curand_kernel.h>
#include <hiprand/hiprand.h>
#ifndef hiprand
#define hiprand curand
#endif
#ifndef hiprand4
#define hiprand4 curand4
#endif
#ifndef hiprandDiscreteDistribution_t
#define hiprandDiscreteDistribution_t curandDiscreteDistribution_t
#endif
#ifndef hiprandState
#define hiprandState curandState
#endif
#ifndef hiprandStateMRG32k3a
#define hiprandStateMRG32k3a curandStateMRG32k3a
#endif
#ifndef hiprandStateMRG32k3a_t
#define hiprandStateMRG32k3a_t curandStateMRG32k3a_t
#endif
#ifndef hiprandStateMtgp32
#define hiprandStateMtgp32 curandStateMtgp32
#endif
#ifndef hiprandStateMtgp32_t
#define hiprandStateMtgp32_t curandStateMtgp32_t
#endif
#ifndef hiprandStatePhilox4_32_10
#define hiprandStatePhilox4_32_10 curandStatePhilox4_32_10
#endif
#ifndef hiprandStatePhilox4_32_10_t
#define hiprandStatePhilox4_32_10_t curandStatePhilox4_32_10_t
#endif
#ifndef hiprandStateScrambledSobol32
#define hiprandStateScrambledSobol32 curandStateScrambledSobol32
#endif
#ifndef hiprandStateScrambledSobol32_t
#define hiprandStateScrambledSobol32_t curandStateScrambledSobol32_t
#endif
#ifndef hiprandStateSobol32
#define hiprandStateSobol32 curandStateSobol32
#endif
#ifndef hiprandStateSobol32_t
#define hiprandStateSobol32_t curandStateSobol32_t
#endif
#ifndef hiprandStateSobol64
#define hiprandStateSobol64 curandStateSobol64
#endif
#ifndef hiprandStateSobol64_t
#define hiprandStateSobol64_t curandStateSobol64_t
#endif
#ifndef hiprandStateXORWOW
#define hiprandStateXORWOW curandStateXORWOW
#endif
#ifndef hiprandStateXORWOW_t
#define hiprandStateXORWOW_t curandStateXORWOW_t
#endif
#ifndef hiprandState_t
#define hiprandState_t curandState_t
#endif
#ifndef hiprand_discrete
#define hiprand_discrete curand_discrete
#endif
#ifndef hiprand_init
#define hiprand_init curand_init
#endif
#ifndef hiprand_log_normal
#define hiprand_log_normal curand_log_normal
#endif
#ifndef hiprand_log_normal2
#define hiprand_log_normal2 curand_log_normal2
#endif
#ifndef hiprand_log_normal4
#define hiprand_log_normal4 curand_log_normal4
#endif
#ifndef hiprand_log_normal_double
#define hiprand_log_normal_double curand_log_normal_double
#endif
#ifndef hiprand_normal
#define hiprand_normal curand_normal
#endif
#ifndef hiprand_normal2
#define hiprand_normal2 curand_normal2
#endif
#ifndef hiprand_normal2_double
#define hiprand_normal2_double curand_normal2_double
#endif
#ifndef hiprand_normal4
#define hiprand_normal4 curand_normal4
#endif
#ifndef hiprand_normal4_double
#define hiprand_normal4_double curand_normal4_double
#endif
#ifndef hiprand_normal_double
#define hiprand_normal_double curand_normal_double
#endif
#ifndef hiprand_poisson
#define hiprand_poisson curand_poisson
#endif
#ifndef hiprand_poisson4
#define hiprand_poisson4 curand_poisson4
#endif
#ifndef hiprand_uniform
#define hiprand_uniform curand_uniform
#endif
#ifndef hiprand_uniform2_double
#define hiprand_uniform2_double curand_uniform2_double
#endif
#ifndef hiprand_uniform4
#define hiprand_uniform4 curand_uniform4
#endif
#ifndef hiprand_uniform4_double
#define hiprand_uniform4_double curand_uniform4_double
#endif
#ifndef hiprand_uniform_double
#define hiprand_uniform_double curand_uniform_double
#endif
#endif
