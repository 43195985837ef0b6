import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Places } from "./places.ts";

/** A copy of the fixture home that tests may change. */
export interface TemporaryHome {
  readonly places: Places;
  /** Writes a file in the home. */
  write(name: string, text: string): Promise<void>;
  path(name: string): string;
  remove(): void;
}

/** The environment variables that point a server to a home. */
export function environmentOf({ places: { home, logs, project = "" } }: TemporaryHome) {
  return { ALC_HOME: home, ALC_LOG_DIR: logs, ALC_PROJECT_ROOT: project };
}

/** The installation that is part of the example. */
export const FIXTURES = fileURLToPath(new URL("./fixtures", import.meta.url));

/** Copies the fixture home, and the project beside it, to a new temporary folder. */
export function createHome(): TemporaryHome {
  const folder = mkdtempSync(join(tmpdir(), "algocline-"));
  cpSync(FIXTURES, folder, { recursive: true });
  const home = join(folder, "home");
  return {
    places: { home, logs: join(home, "logs"), project: join(folder, "project") },
    path: (name) => join(home, name),
    async write(name, text) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
