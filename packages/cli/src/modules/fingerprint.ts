import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Comparison, compareInputs, type Inputs } from "./inputs.ts";
import { findCompiler, ownVersion } from "./own-version.ts";

/** Everything that a cached derivation depends on. */
export interface Fingerprint {
  /** The versions of Proffer and the compiler. */
  readonly maker: string;
  /** The project's folder, if the emitted code contains it; otherwise the project can be moved. */
  readonly place?: string;
  readonly inputs: Inputs;
}

/** Returns the fingerprint of a derivation. */
export function createFingerprint(inputs: Inputs, place?: string): Fingerprint {
  return { maker: maker(), ...(place !== undefined && { place }), inputs };
}

/** Compares a fingerprint with the current state. */
export function compareFingerprint(project: string, { maker: known, place, inputs }: Fingerprint): Comparison {
  if (known !== maker()) return { change: "Proffer changed" };
  if (place !== undefined && place !== project) return { change: `the project was moved from ${place}` };
  return compareInputs(project, inputs);
}

/** Identifies this build of the CLI. The modification time invalidates caches while Proffer is being developed. */
function maker(): string {
  const { mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${ownVersion()} ${mtimeMs} typescript ${findCompiler().version}`;
}
