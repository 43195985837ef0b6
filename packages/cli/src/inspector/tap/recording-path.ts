import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProject } from "../../modules/module-file.ts";
import { currentTrust } from "../../modules/trust.ts";
import { claimInspectorFolder } from "../inspector-folder.ts";

const NAME = /^tap-.*\.jsonl$/;
/** A client may start its servers several times a day, for months. */
const MAX_KEPT = 20;

/**
 * Returns the path of a new recording: in `.proffer/inspector` of the project that the current directory belongs to, or
 * else, or if somebody else could read it there, in a private temporary folder.
 */
export function pathForRecording(now = new Date()): string {
  const name = `tap-${now.toISOString().replace(/[:.]/g, "-")}.jsonl`;
  return join(projectFolder(process.cwd()) ?? mkdtempSync(join(tmpdir(), "proffer-tap-")), name);
}

function projectFolder(directory: string): string | undefined {
  const project = findProject(join(directory, "any"));
  if (!existsSync(join(project, "package.json"))) return undefined;
  try {
    const folder = claimInspectorFolder(project, currentTrust());
    removeOld(folder);
    return folder;
  } catch {
    // Not trusted, or not writable.
    return undefined;
  }
}

/** The names sort by time. */
function removeOld(folder: string): void {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  for (const name of names.sort().slice(0, -(MAX_KEPT - 1))) rmSync(join(folder, name));
}
