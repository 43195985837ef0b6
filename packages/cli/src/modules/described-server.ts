import type { Server } from "proffer";
import { createDerivedServer } from "proffer/built";
import type { Derivation } from "../derive/index.ts";
import { isBroken } from "../terminal/diagnostic-report.ts";
import { load } from "./load.ts";
import { toManifest } from "./to-manifest.ts";

/**
 * Returns the server of a derivation, to list its items. Only a module that exports its own server must be imported for
 * that, and only if it can be served.
 */
export async function describedServer(file: string, derivation: Derivation): Promise<Server> {
  if (derivation.form !== "functions" && !isBroken(derivation)) return load(file);
  const manifest = toManifest(derivation);
  // The lists of companions are code, too: only their templates are shown.
  const resources = manifest.resources.map(({ companion: _, ...resource }) => resource);
  return createDerivedServer({ ...manifest, resources }, () =>
    Promise.reject(new Error("A server that is only listed calls no functions.")),
  );
}
