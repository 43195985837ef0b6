import { relative, sep } from "node:path";
import { pathProblem } from "../server/params/path.ts";
import type { Watch } from "../server/resource-watch.ts";
import { type Shown, toUri } from "./files-walk.ts";

/** Watches what is shown: a changed file is an update, one that comes or goes a change of the list and its directory. */
export function watchFiles(shown: Shown): Watch {
  return async (events) => {
    // biome-ignore lint/style/noRestrictedImports: an optional peer, loaded when it is needed
    const { watch } = await import("chokidar");
    const root = await shown.root.real();
    const toPath = (file: string): string => relative(root, file).split(sep).join("/");
    const isIgnored = (file: string): boolean => {
      const path = toPath(file);
      return path !== "" && !shown.showsDirectory(path) && !shown.showsFile(path);
    };
    const watcher = watch(root, { ignoreInitial: true, followSymlinks: false, ignored: isIgnored });
    const ready = new Promise<void>((resolve) => watcher.once("ready", resolve));
    watcher.on("all", (event, file) => {
      const path = toPath(file);
      if (path === "" || pathProblem(path) !== undefined) return;
      const isDirectory = event === "addDir" || event === "unlinkDir";
      if (isDirectory ? !shown.showsDirectory(path) : !shown.showsFile(path)) return;
      events.updated(toUri(shown, path));
      if (event === "change") return;
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      events.updated(parent === "" ? shown.uri : toUri(shown, parent));
      events.listChanged();
    });
    // A full queue of the system, or a directory that may not be read: the files stay readable, only unwatched.
    watcher.on("error", events.failed);
    await ready;
    return () => void watcher.close();
  };
}
