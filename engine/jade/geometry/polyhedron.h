#pragma once

#include <array>
#include <span>
#include <vector>

#include "jade/math/types.h"

namespace jade {

/// The features of a closed surface of triangles that can touch something: coplanar triangles merged into faces
/// with one normal, the sharp edges between faces, and true vertices, where sharp edges that are not in line meet.
/// However finely a flat table is meshed, it has one top face and four edges around it.
struct Polyhedron {
  struct Face {
    Vec3 normal = Vec3::Zero();  ///< unit, outward
    double offset = 0;           ///< the plane: normal·x = offset
    bool convex = false;         ///< its outline is one convex polygon
    int first = 0, count = 0;    ///< its part of `boundary`
  };
  struct Edge {
    std::array<int, 2> vertex{};
    std::array<int, 2> face{};  ///< face[0] sees vertex[0] → vertex[1] counter-clockwise
    bool convex = false;        ///< the solid's angle is below 180°
    double length = 0;
    Vec3 direction = Vec3::Zero();  ///< unit, vertex[0] → vertex[1]
    std::array<Vec3, 2> inward{Vec3::Zero(),
                               Vec3::Zero()};  ///< unit, along both faces, orthogonal to the edge
  };
  /// A piece of a face's outline, counter-clockwise seen from outside: edge `edge`, from vertex `from` to `to`.
  struct Side {
    int edge = 0, from = 0, to = 0;
    Vec3 inward = Vec3::Zero();  ///< unit, along the face, orthogonal to the side
  };

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;
  std::vector<Side> boundary;
  std::vector<int> first_neighbour, neighbours;  ///< of vertex i along edges, as in ConvexCore
  std::vector<Vec3> toward_neighbour;            ///< unit, beside `neighbours`
  bool convex = false;

  /// Whether the foot of x on the face's plane lies in the face, or outside by at most `margin`.
  bool face_holds(int face, const Vec3& x, double margin) const;
};

/// `triangles` must pass `check_mesh`: closed, oriented outwards, manifold.
/// Neighbouring triangles are merged while they lie within 4e-7 of the mesh's size from their mean plane: what
/// single-precision coordinates or seven printed digits leave of a plane. A face's plane decides where contacts are
/// placed; what is separated from what is decided with all vertices of the mesh as given.
Polyhedron make_polyhedron(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

}  // namespace jade
