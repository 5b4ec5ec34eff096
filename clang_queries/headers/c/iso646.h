#ifndef CQ_ISO646_H
#define CQ_ISO646_H
#if !defined(__cplusplus)
#define and &&
#define and_eq &=
#define bitand &
#define bitor |
#define compl ~
#define not !
#define not_eq !=
#define or ||
#define or_eq |=
#define xor ^
#define xor_eq ^=
#endif
#endif
