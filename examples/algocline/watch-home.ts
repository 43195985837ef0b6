import { join, relative, sep } from "node:path";
import { watch } from "chokidar";
import type { Watch } from "proffer";
import { findVariants } from "./packages.ts";
import type { Places } from "./places.ts";

/** The folders with resources; the rest of the home is not watched. */
const FOLDERS = ["types", "packages", "cards", "scenarios", "evals", "logs"];

/** The resources whose source a file is, by its path in the home. */
const ROUTES: readonly (readonly [file: RegExp, uris: readonly string[]])[] = [
  [/^types\/(alc(?:_shapes)?\.d\.lua)$/, ["alc://types/*"]],
  [/^packages\/([^/]+)\/init\.lua$/, ["alc://packages/*/init.lua", "alc://packages/*/meta", "alc://hub/index"]],
  [/^packages\/([^/]+)\/narrative\.md$/, ["alc://packages/*/narrative"]],
  [/^cards\/[^/]+\/([^/]+)\.toml$/, ["alc://cards/*"]],
  [/^cards\/[^/]+\/([^/]+)\.samples\.jsonl$/, ["alc://cards/*/samples"]],
  [/^scenarios\/([^/]+)\.lua$/, ["alc://scenarios/*"]],
  [/^evals\/([^/]+)\.json$/, ["alc://eval/*"]],
  [/^logs\/([^/]+)\.json$/, ["alc://logs/*"]],
];

/** Watches an installation: a changed file updates its resources, a created or deleted one also changes the list. */
export function watchHome(places: Places): Watch {
  return async (events) => {
    const roots = await findRoots(places);
    const watcher = watch(
      roots.map(({ folder }) => folder),
      { ignoreInitial: true, depth: 2, ignored: (path) => isIgnored(places.home, path) },
    );
    watcher.on("error", (error) => events.failed(error));
    watcher.on("all", (event, path) => {
      if (event === "addDir" || event === "unlinkDir") return;
      const uris = urisOf(toHomePath(roots, path));
      for (const uri of uris) events.updated(uri);
      if (event !== "change" && uris.length > 0) events.listChanged();
    });
    await new Promise<void>((resolve) => watcher.once("ready", resolve));
    return () => void watcher.close();
  };
}

/** The URIs of the resources whose source a file is. */
export function urisOf(path: string): string[] {
  for (const [file, uris] of ROUTES) {
    const id = file.exec(path)?.[1];
    if (id !== undefined) return uris.map((uri) => uri.replace("*", () => id));
  }
  return [];
}

/** A watched folder, and the path in the home that it maps to. */
interface Root {
  readonly folder: string;
  readonly place: string;
}

/** Folders inside the home come after it, so that the last matching root is the closest one. */
async function findRoots({ home, logs, project }: Places): Promise<readonly Root[]> {
  const variants = [...(await findVariants(project))].map(([name, folder]) => ({ folder, place: `packages/${name}` }));
  return [{ folder: home, place: "" }, { folder: logs, place: "logs" }, ...variants];
}

function toHomePath(roots: readonly Root[], path: string): string {
  const root = roots.findLast(({ folder }) => path.startsWith(folder + sep));
  if (root === undefined) return "";
  return join(root.place, relative(root.folder, path)).split(sep).join("/");
}

function isIgnored(home: string, path: string): boolean {
  if (!path.startsWith(home + sep)) return false;
  const [folder = ""] = relative(home, path).split(sep);
  return !FOLDERS.includes(folder);
}
