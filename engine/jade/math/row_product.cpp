#include "jade/math/row_product.h"

namespace jade {

JADE_WIDE_LOOPS void add_row_product(const RowProduct& product) { add_row_product_inside(product); }

}  // namespace jade
