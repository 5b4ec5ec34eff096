#ifndef CQ_HELPER_IMAGE_H
#define CQ_HELPER_IMAGE_H
#include <helper_string.h>
#if defined(__cplusplus)
CQ_BEGIN_HOST
template <class CqT> bool sdkLoadPGM(const char *path, CqT **data, unsigned int *width, unsigned int *height);
template <class CqT> bool sdkLoadPPM4(const char *path, CqT **data, unsigned int *width, unsigned int *height);
template <class CqT> bool sdkSavePGM(const char *path, CqT *data, unsigned int width, unsigned int height);
bool sdkSavePPM4ub(const char *path, unsigned char *data, unsigned int width, unsigned int height);
template <class CqT> bool sdkReadFile(const char *path, CqT **data, unsigned int *count, bool verbose);
template <class CqT, class CqS> bool sdkWriteFile(const char *path, const CqT *data, unsigned int count, const CqS epsilon, bool verbose, bool append = false);
template <class CqT> bool sdkCompareBin2BinFloat(const char *a, const char *b, unsigned int count, const float epsilon, const float threshold, char *path, CqT unused = CqT());
bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int count, const float epsilon);
bool sdkComparePPM(const char *a, const char *b, const float epsilon, const float threshold, bool verbose);
template <class CqT, class CqS> bool compareData(const CqT *reference, const CqT *data, const unsigned int count, const CqS epsilon, const float threshold);
CQ_END_HOST
#endif
#endif
