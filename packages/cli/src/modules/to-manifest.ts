import type { Manifest } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";

/** Returns the manifest of a derivation, whose schemas all compile. */
export function toManifest({ server, tools, prompts, resources, places, settings }: Derivation): Manifest {
  return { server, tools, prompts, resources, ...(places && { places }), ...(settings && { settings }) };
}
