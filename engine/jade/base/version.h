#pragma once

namespace jade {

/// The version of this library, `major.minor.patch`.
const char* version();

}  // namespace jade
