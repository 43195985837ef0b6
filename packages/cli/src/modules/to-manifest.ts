import { UsageError } from "proffer";
import { checkManifest, type Manifest } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";
import { CommandError } from "../terminal/command-error.ts";

/** Returns the manifest of a derivation. @throws {CommandError} for a schema that the run-time rejects. */
export function toManifest({ server, tools, prompts, resources, places }: Derivation): Manifest {
  const manifest: Manifest = { server, tools, prompts, resources, ...(places && { places }) };
  try {
    checkManifest(manifest);
  } catch (error) {
    throw error instanceof UsageError ? new CommandError(error.message, { cause: error }) : error;
  }
  return manifest;
}
