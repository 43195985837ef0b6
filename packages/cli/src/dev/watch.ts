import { statSync } from "node:fs";
import { dirname } from "node:path";
import { watch } from "chokidar";

/**
 * Editors write a file in several steps, and formatters after them. Chokidar reports no second change of a file within
 * 50 ms: to look at it any sooner would be to miss that change for good.
 */
const PAUSE = 60;
const RELEVANT = /(\.([cm]?[jt]sx?|json)|[\\/]tsconfig[^\\/]*)$/;

/** Looks at the folders of a project. */
export interface ProjectWatch {
  /** Looks at the folders of these files, and at no others. */
  setFiles(files: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Calls `changed` some milliseconds after files were changed, one call after the other. Whole folders are looked at, so
 * that a file that an import was missing is noticed when it comes into being. The files were last looked at at the time
 * `since`: what changed from then on until the watching begins, nobody else would report.
 */
export function watchProject(files: readonly string[], since: number, changed: () => Promise<void>): ProjectWatch {
  let folders = foldersOf(files);
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  const watcher = watch([...folders], { depth: 0, ignoreInitial: true });
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(changed);
    }, PAUSE);
  };
  watcher.on("all", (_event, path) => {
    if (RELEVANT.test(path)) schedule();
  });
  watcher.on("ready", () => {
    if (files.some((file) => changedSince(file, since))) schedule();
  });
  return {
    setFiles(next) {
      const wanted = foldersOf(next);
      watcher.add([...wanted].filter((folder) => !folders.has(folder)));
      watcher.unwatch([...folders].filter((folder) => !wanted.has(folder)));
      folders = wanted;
    },
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** The clock that stamps files may be a few milliseconds behind ours. */
const CLOCK_STEP = 10;

function changedSince(file: string, since: number): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? since) >= since - CLOCK_STEP;
}

function foldersOf(files: readonly string[]): Set<string> {
  return new Set(files.map((file) => dirname(file)));
}
