#ifndef CQ_STDNORETURN_H
#define CQ_STDNORETURN_H
#if !defined(__cplusplus)
#define noreturn _Noreturn
#endif
#endif
