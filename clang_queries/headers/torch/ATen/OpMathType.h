#include <cq_torch.h>
