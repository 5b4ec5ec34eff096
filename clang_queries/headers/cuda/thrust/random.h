#ifndef CQ_THRUST_RANDOM_H
#define CQ_THRUST_RANDOM_H
#include <random>
#include <thrust/cq_thrust.h>
namespace thrust {
using std::default_random_engine; using std::minstd_rand; using std::minstd_rand0; using std::normal_distribution; using std::ranlux24; using std::ranlux48; using std::uniform_int_distribution; using std::uniform_real_distribution;
namespace random { using namespace thrust; }
}
#endif
