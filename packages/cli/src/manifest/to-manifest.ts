import type { Manifest } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";

/** The part of a derivation that serving needs. */
export function toManifest({ server, tools, prompts, resources }: Derivation): Manifest {
  // The schemas that are derived are a subset of those that can be served; their types have no index signature.
  return { server, tools, prompts, resources } as unknown as Manifest;
}
