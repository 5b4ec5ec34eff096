#ifndef CQ_NVTX_H
#define CQ_NVTX_H
#include <cq_declare.h>
#include <stddef.h>
#include <stdint.h>
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
CQ_BEGIN_C
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 } nvtxMessageType_t;
typedef enum { NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1 } nvtxPayloadType_t;
typedef union { const char *ascii; const wchar_t *unicode; } nvtxMessageValue_t;
typedef struct { uint16_t version, size; uint32_t category; int32_t colorType; uint32_t color; int32_t payloadType, reserved0; union { uint64_t ullValue; int64_t llValue; double dValue; } payload; int32_t messageType; nvtxMessageValue_t message; } nvtxEventAttributes_t;
int nvtxRangePushA(const char *message);
int nvtxRangePush(const char *message);
int nvtxRangePushEx(const nvtxEventAttributes_t *attributes);
int nvtxRangePop(void);
nvtxRangeId_t nvtxRangeStartA(const char *message);
nvtxRangeId_t nvtxRangeStart(const char *message);
nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes);
void nvtxRangeEnd(nvtxRangeId_t range);
void nvtxMarkA(const char *message);
void nvtxMark(const char *message);
void nvtxNameOsThread(uint32_t thread, const char *name);
nvtxDomainHandle_t nvtxDomainCreateA(const char *name);
int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
int nvtxDomainRangePop(nvtxDomainHandle_t domain);
CQ_END_C
#endif
