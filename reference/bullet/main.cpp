#include "reference/adapter_main.h"
#include "reference/bullet/bullet_scene.h"

int main(int argc, char** argv) {
  using namespace jade::reference;
  return adapter_main(
      argc, argv, "jade-bullet: Bullet in double precision as a reference engine",
      [](const RunRequest& request) {
        if (request.engine == "bullet:multibody") return make_multibody_world(request);
        if (request.engine == "bullet" || request.engine == "bullet:dantzig") {
          return make_maximal_world(request);
        }
        throw NotApplicable("this adapter runs bullet, bullet:dantzig and bullet:multibody, not " +
                            request.engine);
      });
}
