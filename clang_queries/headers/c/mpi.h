#ifndef CQ_MPI_H
#define CQ_MPI_H
#include <cq_declare.h>
#include <stddef.h>
#include <stdint.h>
#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MPI_SUCCESS 0
#define MPI_ERR_COMM 5
#define MPI_ERR_OTHER 16
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-4)
#define MPI_UNDEFINED (-32766)
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256
#define MPI_MAX_INFO_VAL 256
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3
#define MPI_ORDER_C 0
#define MPI_ORDER_FORTRAN 1
#define MPI_COMM_TYPE_SHARED 0
#define MPI_LOCK_EXCLUSIVE 1
#define MPI_LOCK_SHARED 2
#define MPI_MODE_NOCHECK 1
#define MPI_MODE_CREATE 1
#define MPI_MODE_RDONLY 2
#define MPI_MODE_WRONLY 4
#define MPI_MODE_RDWR 8
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_INFO_NULL ((MPI_Info)0)
#define MPI_GROUP_NULL ((MPI_Group)0)
#define MPI_WIN_NULL ((MPI_Win)0)
CQ_BEGIN_C
typedef struct cq_mpi_comm *MPI_Comm;
typedef struct cq_mpi_datatype *MPI_Datatype;
typedef struct cq_mpi_op *MPI_Op;
typedef struct cq_mpi_request *MPI_Request;
typedef struct cq_mpi_group *MPI_Group;
typedef struct cq_mpi_info *MPI_Info;
typedef struct cq_mpi_win *MPI_Win;
typedef struct cq_mpi_file *MPI_File;
typedef struct cq_mpi_message *MPI_Message;
typedef struct cq_mpi_errhandler *MPI_Errhandler;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef long long MPI_Count;
typedef int MPI_Fint;
typedef struct MPI_Status { int MPI_SOURCE, MPI_TAG, MPI_ERROR, cq_cancelled; size_t cq_count; } MPI_Status;
typedef void(MPI_User_function)(void *in, void *inout, int *count, MPI_Datatype *type);
extern MPI_Comm MPI_COMM_WORLD, MPI_COMM_SELF;
extern MPI_Errhandler MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL;
extern MPI_Datatype MPI_BYTE, MPI_PACKED, MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_LONG_LONG_INT;
extern MPI_Datatype MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_BOOL, MPI_CXX_BOOL, MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT;
extern MPI_Datatype MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_AINT, MPI_LB, MPI_UB, MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_LOGICAL;
extern MPI_Op MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE;
int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalized(int *flag);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Get_processor_name(char *name, int *size);
int MPI_Get_version(int *version, int *subversion);
int MPI_Error_string(int code, char *text, int *size);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *result);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *result);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *result);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *result);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group *result);
int MPI_Group_free(MPI_Group *group);
int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder, MPI_Comm *result);
int MPI_Cart_coords(MPI_Comm comm, int rank, int dimensions, int coordinates[]);
int MPI_Cart_rank(MPI_Comm comm, const int coordinates[], int *rank);
int MPI_Cart_shift(MPI_Comm comm, int direction, int displacement, int *source, int *target);
int MPI_Cart_get(MPI_Comm comm, int dimensions, int sizes[], int periods[], int coordinates[]);
int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *result);
int MPI_Dims_create(int nodes, int dimensions, int sizes[]);
int MPI_Barrier(MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int counts[], const int offsets[], MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatterv(const void *send, const int counts[], const int offsets[], MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int counts[], const int offsets[], MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoallv(const void *send, const int send_counts[], const int send_offsets[], MPI_Datatype send_type, void *receive, const int receive_counts[], const int receive_offsets[], MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Send(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int MPI_Ssend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int MPI_Rsend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int MPI_Bsend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int target, int send_tag, void *receive, int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int target, int send_tag, int source, int receive_tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Issend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irsend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Send_init(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Recv_init(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Cancel(MPI_Request *request);
int MPI_Request_free(MPI_Request *request);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_address(const void *data, MPI_Aint *address);
int MPI_Address(void *data, MPI_Aint *address);
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_vector(int count, int block, int stride, MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_hvector(int count, int block, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_indexed(int count, const int blocks[], const int offsets[], MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_struct(int count, int blocks[], MPI_Aint offsets[], MPI_Datatype types[], MPI_Datatype *result);
int MPI_Type_create_struct(int count, const int blocks[], const MPI_Aint offsets[], const MPI_Datatype types[], MPI_Datatype *result);
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype *result);
int MPI_Type_create_subarray(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_create_hvector(int count, int block, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_dup(MPI_Datatype type, MPI_Datatype *result);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Pack(const void *data, int count, MPI_Datatype type, void *out, int size, int *position, MPI_Comm comm);
int MPI_Unpack(const void *data, int size, int *position, void *out, int count, MPI_Datatype type, MPI_Comm comm);
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);
int MPI_Info_create(MPI_Info *info);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_free(MPI_Info *info);
int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_fence(int assertion, MPI_Win win);
int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win);
int MPI_Win_unlock(int rank, MPI_Win win);
int MPI_Win_free(MPI_Win *win);
int MPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count, MPI_Datatype target_type, MPI_Win win);
int MPI_Get(void *data, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count, MPI_Datatype target_type, MPI_Win win);
int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base);
int MPI_Free_mem(void *base);
int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file);
int MPI_File_close(MPI_File *file);
int MPI_File_read_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *data, int count, MPI_Datatype type, MPI_Status *status);
int MPI_Pcontrol(const int level, ...);
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
MPI_Comm MPI_Comm_f2c(MPI_Fint comm);
CQ_END_C
#endif
