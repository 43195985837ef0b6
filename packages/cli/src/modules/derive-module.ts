import type { Manifest } from "proffer/derived";
import type { Derivation, FileObserver } from "../derive/index.ts";
import { clearStatus, showStatus } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { findModule } from "./module-file.ts";

/**
 * Derives a module for a command. Only the thread of `proffer dev` does it otherwise: there one deriver is kept for all
 * edits.
 * @throws {CommandError} if the file does not exist or is not a module. Its errors are diagnostics of the derivation.
 */
export async function deriveModule(file: string, observer?: FileObserver) {
  const module = findModule(file);
  return whileDeriving(file, async () => {
    const { createDeriver } = await import("../derive/index.ts");
    const deriver = createDeriver(module, observer && { observer });
    return { derivation: deriver.derive(), deriver };
  });
}

/**
 * Shows a line on a terminal while the compiler reads a module. It appears at once: loading the compiler takes longer
 * than a person waits without wondering, and no timer can run while the compiler blocks the thread.
 */
export async function whileDeriving<Value>(file: string, derive: () => Promise<Value>): Promise<Value> {
  showStatus(text`Reading the types of ${file} …`);
  try {
    return await derive();
  } finally {
    clearStatus();
  }
}

/** Returns the manifest of a derivation, whose schemas all compile. */
export function toManifest({ server, tools, prompts, resources, places, settings }: Derivation): Manifest {
  return { server, tools, prompts, resources, ...(places && { places }), ...(settings && { settings }) };
}
