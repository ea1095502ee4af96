#include "jade/base/version.h"

namespace jade {

const char* version() { return JADE_VERSION; }

}  // namespace jade
