#ifndef CQ_HELPER_TIMER_H
#define CQ_HELPER_TIMER_H
#include <cq_declare.h>
#if defined(__cplusplus)
CQ_BEGIN_HOST
class StopWatchInterface {
public:
  virtual ~StopWatchInterface();
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void reset() = 0;
  virtual float getTime() = 0;
  virtual float getAverageTime() = 0;
};
bool sdkCreateTimer(StopWatchInterface **timer);
bool sdkDeleteTimer(StopWatchInterface **timer);
bool sdkStartTimer(StopWatchInterface **timer);
bool sdkStopTimer(StopWatchInterface **timer);
bool sdkResetTimer(StopWatchInterface **timer);
float sdkGetTimerValue(StopWatchInterface **timer);
float sdkGetAverageTimerValue(StopWatchInterface **timer);
CQ_END_HOST
#endif
#endif
