// Collision shapes: the part of BulletScene that turns geometry into Bullet's.
#include <BulletCollision/Gimpact/btGImpactShape.h>

#include "reference/bullet/bullet_scene.h"

namespace jade::reference {
namespace {

/// Bullet's capsules and cylinders have their own classes about z; all lengths are full or half as it likes.
struct MakeShape {
  bool moving;
  std::vector<std::unique_ptr<btStridingMeshInterface>>& meshes;

  std::unique_ptr<btCollisionShape> operator()(const Sphere& s) const {
    return std::make_unique<btSphereShape>(s.radius);
  }
  std::unique_ptr<btCollisionShape> operator()(const Capsule& c) const {
    return std::make_unique<btCapsuleShapeZ>(c.radius, 2 * c.half_length);
  }
  std::unique_ptr<btCollisionShape> operator()(const Box& b) const {
    return std::make_unique<btBoxShape>(to_bullet(b.size / 2));
  }
  std::unique_ptr<btCollisionShape> operator()(const Cylinder& c) const {
    return std::make_unique<btCylinderShapeZ>(btVector3(c.radius, c.radius, c.half_length));
  }
  std::unique_ptr<btCollisionShape> operator()(const HalfSpace&) const {
    if (moving) throw NotApplicable("a half-space on a moving body");
    return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0);
  }
  std::unique_ptr<btCollisionShape> operator()(const ConvexHull& hull) const {
    auto shape = std::make_unique<btConvexHullShape>();
    for (const Vec3& point : hull.points) shape->addPoint(to_bullet(point), false);
    shape->recalcLocalAabb();
    shape->setMargin(0);  // the margin would be added outside the hull
    return shape;
  }
  std::unique_ptr<btCollisionShape> operator()(const TriangleMesh& mesh) const {
    if (!mesh.file.empty()) throw NotApplicable("meshes from files are not translated, only inline ones");
    if (mesh.normals == MeshNormals::smooth) throw NotApplicable("smooth normals of a mesh");
    auto triangles = std::make_unique<btTriangleMesh>();
    for (const std::array<int, 3>& t : mesh.triangles) {
      const auto corner = [&](int k) { return to_bullet(mesh.scale * mesh.vertices[t[k]]); };
      triangles->addTriangle(corner(0), corner(1), corner(2));
    }
    std::unique_ptr<btCollisionShape> shape;
    if (moving) {
      auto gimpact = std::make_unique<btGImpactMeshShape>(triangles.get());
      gimpact->updateBound();
      shape = std::move(gimpact);
    } else {
      shape = std::make_unique<btBvhTriangleMeshShape>(triangles.get(), true);
    }
    meshes.push_back(std::move(triangles));
    return shape;
  }
};

}  // namespace

btCollisionShape* BulletScene::keep(std::unique_ptr<btCollisionShape> shape) {
  shapes_.push_back(std::move(shape));
  return shapes_.back().get();
}

btCollisionShape* BulletScene::primitive(const Shape& geometry, const std::string& material, bool moving) {
  std::unique_ptr<btCollisionShape> shape = std::visit(MakeShape{moving, meshes_}, geometry);
  shape->setUserIndex(material_index(material));
  return keep(std::move(shape));
}

btCollisionShape* BulletScene::moving_shape(int body) {
  const std::vector<ShapeDescription>& shapes = scene_.bodies[body].shapes;
  if (shapes.empty()) return keep(std::make_unique<btEmptyShape>());
  const Transform X_CB = bodies_[body].X_BC.inverse();
  // A single shape about the centre of mass needs no compound, which would cost accuracy of contacts.
  if (shapes.size() == 1) {
    const Transform X_CS = X_CB * pose_of(shapes[0].X_BS);
    if (X_CS.p.isZero(0) && X_CS.R.isIdentity(0))
      return primitive(shapes[0].geometry, shapes[0].material, true);
  }
  auto compound = std::make_unique<btCompoundShape>();
  for (const ShapeDescription& shape : shapes) {
    compound->addChildShape(to_bullet(X_CB * pose_of(shape.X_BS)),
                            primitive(shape.geometry, shape.material, true));
  }
  return keep(std::move(compound));
}

}  // namespace jade::reference
