#ifndef CQ_PWD_H
#define CQ_PWD_H
#include <cq_declare.h>
#include <sys/types.h>
CQ_BEGIN_C
struct passwd { char *pw_name, *pw_passwd; uid_t pw_uid; gid_t pw_gid; char *pw_gecos, *pw_dir, *pw_shell; };
struct passwd *getpwuid(uid_t user);
struct passwd *getpwnam(const char *name);
CQ_END_C
#endif
