import { relative, sep } from "node:path";
import type { Watch, WatchEvents } from "../../resources/watch.ts";

/** A change of a file or directory. */
interface FileChange {
  /** Relative to the watched directory, with "/" as separator. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Whether it was added or removed; otherwise its content changed. */
  readonly isListChange: boolean;
}

/** The directory to watch, and how to report its changes. */
interface DirectoryWatch {
  /** The real path of the directory. */
  root(): Promise<string>;
  /** Whether to ignore a path and everything below it. */
  isIgnored(path: string): boolean;
  notify(change: FileChange, events: WatchEvents): void;
}

/** Watches a directory with chokidar, without following links. */
export function watchDirectory({ root, isIgnored, notify }: DirectoryWatch): Watch {
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
      notify({ path, isDirectory: event.endsWith("Dir"), isListChange: event !== "change" }, events);
    });
    // For example the system's watch limit or an unreadable directory: files stay readable, but changes are missed.
    watcher.on("error", events.failed);
    await ready;
    return () => void watcher.close();
  };
}
