import { statSync } from "node:fs";
import { dirname } from "node:path";
import { watch } from "chokidar";

/**
 * In milliseconds. Editors write a file in several steps, and a formatter may follow. Chokidar does not report a second
 * change of a file within 50 ms, so a shorter pause would miss that change.
 */
const PAUSE = 60;
const RELEVANT = /(\.([cm]?[jt]sx?|json)|[\\/]tsconfig[^\\/]*)$/;

/**
 * Calls `changed` with the files shortly after they change, one call at a time. It watches whole folders, so that a missing import is
 * noticed when its file is created. `since` is the time when the files were last read: changes between that time and the
 * start of watching are reported too.
 */
export function watchProject(
  files: readonly string[],
  since: number,
  changed: (paths: ReadonlySet<string>) => Promise<void>,
) {
  let folders = foldersOf(files);
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  let paths = new Set<string>();
  const watcher = watch([...folders], { depth: 0, ignoreInitial: true });
  const schedule = (path: string) => {
    paths.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const collected = paths;
      paths = new Set();
      work = work.then(() => changed(collected));
    }, PAUSE);
  };
  watcher.on("all", (_event, path) => {
    if (RELEVANT.test(path)) schedule(path);
  });
  watcher.on("ready", () => {
    for (const file of files) {
      const { mtimeMs = since } = statSync(file, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs >= since - CLOCK_STEP) schedule(file);
    }
  });
  return {
    /** Watches the folders of these files instead of the previous ones. */
    setFiles(next: readonly string[]): void {
      const wanted = foldersOf(next);
      watcher.add([...wanted].filter((folder) => !folders.has(folder)));
      watcher.unwatch([...folders].filter((folder) => !wanted.has(folder)));
      folders = wanted;
    },
    async close(): Promise<void> {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** In milliseconds. The clock of the file system may be slightly behind. */
const CLOCK_STEP = 10;

function foldersOf(files: readonly string[]): Set<string> {
  return new Set(files.map((file) => dirname(file)));
}
