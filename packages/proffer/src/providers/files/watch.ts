import { pathProblem } from "../../resources/params/path.ts";
import type { Watch } from "../../resources/watch.ts";
import { type Shown, toUri } from "./walk.ts";
import { watchDirectory } from "./watcher.ts";

/** Watches what is shown: a changed file is an update, one that comes or goes a change of the list and its directory. */
export function watchFiles(shown: Shown): Watch {
  return watchDirectory({
    root: () => shown.root.real(),
    isIgnored: (path) => !shown.showsDirectory(path) && !shown.showsFile(path),
    tell({ path, isDirectory, isListChange }, events) {
      if (pathProblem(path) !== undefined) return;
      if (isDirectory ? !shown.showsDirectory(path) : !shown.showsFile(path)) return;
      events.updated(toUri(shown, path));
      if (!isListChange) return;
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      events.updated(parent === "" ? shown.uri : toUri(shown, parent));
      events.listChanged();
    },
  });
}
