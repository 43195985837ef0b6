import type { Feature, FeatureCollection, Geometry, LineString, Point, Polygon } from "geojson";
import { accepts, refuses, returns } from "../expect.ts";

/** Buffers a geometry by a distance. */
export function buffer(geometry: Geometry, meters: number): Polygon {
  throw new Error(`${geometry.type} ${meters}`);
}
accepts(
  buffer,
  [{ type: "Point", coordinates: [8.5, 47.3] }, 10],
  [{ type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [0, 0, 400] }] }, 1],
  [
    {
      type: "Polygon",
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
      bbox: [0, 0, 1, 1],
    },
    1,
  ],
);
refuses(
  buffer,
  [{ type: "Circle", coordinates: [8.5, 47.3] }, 10],
  [{ type: "Point", coordinates: [[8.5, 47.3]] }, 10],
  [{ type: "LineString", coordinates: [8.5, 47.3] }, 10],
  [{ type: "Point", coordinates: [0, 0], bbox: [0, 0, 1] }, 1],
  [{ type: "Point", coordinates: [8.5, 47.3] }],
);
returns(buffer, {
  type: "Polygon",
  coordinates: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ],
});

/** Measures the length of a line. */
export const length = (line: Feature<LineString, { name: string }>): number => line.geometry.coordinates.length;
accepts(length, [
  {
    type: "Feature",
    properties: { name: "A1" },
    geometry: {
      type: "LineString",
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
  },
]);
refuses(
  length,
  [{ type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: [] } }],
  [{ type: "Feature", properties: { name: "A1" }, geometry: { type: "Point", coordinates: [0, 0] } }],
);
returns(length, 2.5);

/** Finds the places of a kind. */
export async function places(kind: "city" | "village"): Promise<FeatureCollection<Point>> {
  throw new Error(kind);
}
accepts(places, ["city"]);
refuses(places, ["town"]);
returns(
  places,
  { type: "FeatureCollection", features: [] },
  {
    type: "FeatureCollection",
    features: [
      { type: "Feature", id: 5, properties: null, geometry: { type: "Point", coordinates: [1, 2] } },
      { type: "Feature", properties: { name: "Bern" }, geometry: { type: "Point", coordinates: [1, 2] } },
    ],
  },
);
