import { UsageError } from "proffer";
import { checkManifest, type Manifest } from "proffer/derived";
import type { Derivation } from "../derive/index.ts";
import { CommandError } from "../terminal/command-error.ts";

/** The part of a derivation that serving needs. @throws {CommandError} for a schema that the run-time refuses. */
export function toManifest({ server, tools, prompts, resources }: Derivation): Manifest {
  // The schemas that are derived are a subset of those that can be served; their types have no index signature.
  const manifest = { server, tools, prompts, resources } as unknown as Manifest;
  try {
    checkManifest(manifest);
  } catch (error) {
    throw error instanceof UsageError ? new CommandError(error.message, { cause: error }) : error;
  }
  return manifest;
}
