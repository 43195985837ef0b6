import Supercluster, { type ClusterFeature, type PointFeature, type Tile } from "supercluster";
import { gives } from "../expect.ts";

interface Place {
  name: string;
}

/** Clusters places. */
export function clusters(
  places: { name: string; lng: number; lat: number }[],
  zoom: number,
): (ClusterFeature<{ sum: number }> | PointFeature<Place>)[] {
  const index = new Supercluster<Place, { sum: number }>({
    map: () => ({ sum: 1 }),
    reduce: (all, { sum }) => {
      all.sum += sum;
    },
  });
  index.load(
    places.map(({ name, lng, lat }) => ({
      type: "Feature",
      properties: { name },
      geometry: { type: "Point", coordinates: [lng, lat] },
    })),
  );
  return index.getClusters([-180, -85, 180, 85], zoom);
}
gives(clusters, [
  [
    { name: "A", lng: 7, lat: 47 },
    { name: "B", lng: 7.001, lat: 47 },
    { name: "C", lng: 100, lat: 0 },
  ],
  2,
]);

/** Cuts a tile. */
export async function tile(lng: number, lat: number): Promise<Tile<Record<string, never>, Place> | null> {
  const index = new Supercluster<Place, Record<string, never>>();
  index.load([{ type: "Feature", properties: { name: "A" }, geometry: { type: "Point", coordinates: [lng, lat] } }]);
  return index.getTile(0, 0, 0);
}
gives(tile, [0, 0], { features: [{ type: 1, geometry: [[256, 256]], tags: { name: "A" } }] });
