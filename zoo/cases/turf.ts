import { area, bbox, buffer, centroid, featureCollection, nearestPoint, point, polygon, type Units } from "@turf/turf";
import type { BBox, Feature, FeatureCollection, MultiPolygon, Point, Polygon, Position } from "geojson";
import { gives, refuses } from "../expect.ts";

/** Finds the center. */
export function center(ring: Position[]): Feature<Point> {
  return centroid(polygon([ring]));
}
gives(
  center,
  [
    [
      [0, 0],
      [0, 2],
      [2, 2],
      [2, 0],
      [0, 0],
    ],
  ],
  {
    type: "Feature",
    properties: {},
    geometry: { type: "Point", coordinates: [1, 1] },
  },
);
refuses(center, [["0"]]);

/** Finds the nearest place. */
export function nearest(
  from: Position,
  places: { name: string; at: Position }[],
): ReturnType<typeof nearestPoint<{ name: string }>> {
  return nearestPoint(point(from), featureCollection(places.map(({ name, at }) => point(at, { name }))));
}
gives(nearest, [[0, 0], [{ name: "A", at: [1, 1] }]]);

/** Surrounds places. */
export async function around(
  places: FeatureCollection<Point, { name: string }>,
  radius: number,
  units: Units,
): Promise<{
  areas: FeatureCollection<Polygon | MultiPolygon> | undefined;
  box: BBox;
  size: number;
}> {
  const areas = buffer(places, radius, { units, steps: 1 });
  return { areas, box: bbox(places), size: areas === undefined ? 0 : Math.sign(area(areas)) };
}
gives(around, [{ type: "FeatureCollection", features: [point([1, 2], { name: "A" })] }, 1, "kilometers"]);
refuses(around, [{ type: "FeatureCollection", features: [] }, 1, "parsecs"]);
