import { createRequire } from "node:module";
import { relative, sep } from "node:path";
import type { Watch, WatchEvents } from "../../resources/watch.ts";
import { UsageError } from "../../support/usage-error.ts";

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

/** The optional peers in a bundle, separated by commas; `proffer build --bundle` replaces this name. */
declare const PROFFER_BUNDLED: string | undefined;

/** Checks that an optional peer dependency is installed. @throws {UsageError} */
export function requirePeer(name: string, feature: string): void {
  // There is no package to find beside a bundle.
  const bundled = typeof PROFFER_BUNDLED === "string" ? PROFFER_BUNDLED.split(",") : [];
  if (bundled.includes(name)) return;
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    // Any other error means that the package is installed, but has no entry for `require`.
    if ((cause as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") return;
    throw new UsageError("missing_peer", `${feature} needs the package ${name}: npm install ${name}`, { cause });
  }
}
