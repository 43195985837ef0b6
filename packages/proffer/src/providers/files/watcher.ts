import { relative, sep } from "node:path";
import type { Watch, WatchEvents } from "../../resources/watch.ts";

/** Something that happened to a file or a directory. */
export interface FileChange {
  /** Below the directory that is watched, with "/" between segments. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Whether it came or went; otherwise its content changed. */
  readonly isListChange: boolean;
}

/** Which directory is watched, and what is told of it. */
export interface DirectoryWatch {
  /** Where the directory really is. */
  root(): Promise<string>;
  /** Whether what is at a path, or below it, need not be looked at. */
  isIgnored(path: string): boolean;
  tell(change: FileChange, events: WatchEvents): void;
}

/** Watches a directory with chokidar, while somebody listens. Links are not followed. */
export function watchDirectory({ root, isIgnored, tell }: DirectoryWatch): Watch {
  return async (events) => {
    // biome-ignore lint/style/noRestrictedImports: an optional peer, loaded when it is needed
    const { watch } = await import("chokidar");
    const directory = await root();
    const toPath = (file: string): string => relative(directory, file).split(sep).join("/");
    const watcher = watch(directory, {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (file) => {
        const path = toPath(file);
        return path !== "" && isIgnored(path);
      },
    });
    const ready = new Promise<void>((resolve) => watcher.once("ready", resolve));
    watcher.on("all", (event, file) => {
      const path = toPath(file);
      if (path === "") return;
      tell({ path, isDirectory: event.endsWith("Dir"), isListChange: event !== "change" }, events);
    });
    // A full queue of the system, or a directory that may not be read: the files stay readable, only unwatched.
    watcher.on("error", events.failed);
    await ready;
    return () => void watcher.close();
  };
}
