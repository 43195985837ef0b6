import { pathProblem } from "../../resources/params/path.ts";
import type { Watch } from "../../resources/watch.ts";
import { toUri, type VisibleFiles } from "./walk.ts";
import { watchDirectory } from "./watcher.ts";

/** Watches the visible files. An added or removed file also updates its directory and the list. */
export function watchFiles(visible: VisibleFiles): Watch {
  return watchDirectory({
    root: () => visible.root.real(),
    isIgnored: (path) => !visible.showsDirectory(path) && !visible.showsFile(path),
    notify({ path, isDirectory, isListChange }, events) {
      if (pathProblem(path) !== undefined) return;
      if (isDirectory ? !visible.showsDirectory(path) : !visible.showsFile(path)) return;
      events.updated(toUri(visible, path));
      if (!isListChange) return;
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      events.updated(parent === "" ? visible.uri : toUri(visible, parent));
      events.listChanged();
    },
  });
}
