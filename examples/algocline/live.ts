import { defineResource, type ListEntry, type ListFunction, type Resource, type Watch } from "proffer";
import { id } from "./contract.ts";
import type { FileSet } from "./file-sets.ts";
import { extractMeta, type PackageMeta } from "./lua-meta.ts";
import { packageFiles } from "./packages.ts";
import type { Places } from "./places.ts";

/** The second edition's additions to a resource. */
export interface Live {
  readonly watch: Watch;
}

/** Limit of packages in the hub's index. */
const MAX_INDEXED = 1000;

/** The options that list a set of files and watch it for changes; none in the first edition. */
export function listed(live: Live | undefined, files: FileSet, toUri: (id: string) => string) {
  if (live === undefined) return {};
  const list: ListFunction = ({ after }) => entries(files, toUri, after);
  return { list, watch: live.watch };
}

/** The resources that only the second edition has. */
export function liveResources(places: Places, live: Live): readonly Resource[] {
  const sources = packageFiles(places, "init.lua");
  const narratives = packageFiles(places, "narrative.md");
  return [
    defineResource({
      uri: "alc://hub/index",
      name: "hub-index",
      description: "Metadata of every package that is installed or belongs to the project",
      mimeType: "application/json",
      watch: live.watch,
      read: () => readIndex(sources),
    }),
    defineResource({
      uri: "alc://packages/{name}/narrative",
      name: "package-narrative",
      description: "What a package is about, in prose",
      mimeType: "text/markdown",
      params: { name: id("package name") },
      ...listed(live, narratives, (name) => `alc://packages/${name}/narrative`),
      exists: ({ name }) => narratives.has(name),
      read: ({ name }) => narratives.text(name),
    }),
  ];
}

/** Sorts by id: in the order of URIs, "a-b/init.lua" would come before "a/init.lua". */
async function* entries(
  files: FileSet,
  toUri: (id: string) => string,
  after: string | number | undefined,
): AsyncGenerator<ListEntry> {
  for (const key of await files.ids()) {
    if (after === undefined || key > String(after)) yield { uri: toUri(key), name: key, key };
  }
}

async function readIndex(sources: FileSet): Promise<{ packages: readonly PackageMeta[]; more: boolean }> {
  const names = await sources.ids();
  const packages: PackageMeta[] = [];
  for (const name of names.slice(0, MAX_INDEXED)) {
    const meta = extractMeta((await sources.text(name)) ?? "");
    if (meta !== undefined) packages.push(meta);
  }
  return { packages, more: names.length > MAX_INDEXED };
}
