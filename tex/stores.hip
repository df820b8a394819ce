// Surface stores and e4m3 conversions for kernels of which nothing else is
// replaced.
#include "codes.h"
#include "stores.h"
