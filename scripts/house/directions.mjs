import { posix } from "node:path";
import { FEATURE_OPTIONS, PACKAGES } from "./folders.mjs";
import { importsOf } from "./sources.mjs";

/**
 * The imports that the table of folders.mjs does not allow, as sentences. A folder imports values, also lazily, from the
 * folders of its list. Types may come from any folder, but the core takes them from the core.
 */
export function wrongImports(sources) {
  return sources.flatMap((source) => {
    const [root, rows] = Object.entries(PACKAGES).find(([root]) => source.path.startsWith(`${root}/`));
    const from = unitOf(source.path.slice(root.length + 1), rows);
    if (from === undefined) return [`${source.path}: its folder has no row in scripts/house/folders.mjs.`];
    return importsOf(source)
      .filter((found) => !isAllowed(source.path.slice(root.length + 1), from, found, root, rows))
      .map(({ to, kind }) => `${source.path}: ${nameOf(from)} may not import a ${kind} of ${to}.`);
  });
}

function isAllowed(file, from, { to, kind }, root, rows) {
  const { imports, packages } = rows.folders[from];
  if (!to.startsWith(`${root}/`)) return packages === undefined || packages.some((name) => isNamed(to, name));
  const target = unitOf(to.slice(root.length + 1), rows);
  if (target === from || imports === "all" || imports.includes(target)) return true;
  const isCore = (unit) => rows.core.includes(unit);
  if (kind === "type" && (!isCore(from) || isCore(target))) return true;
  return rows.exceptions.some((more) => file.startsWith(more.from) && (more[kind] ?? []).includes(target));
}

/** The lines of the core that name a feature where FEATURE_OPTIONS does not allow it, as sentences. Comments may. */
export function wrongNames(sources) {
  const [root, { folders, core }] = Object.entries(PACKAGES)[0];
  const names = new RegExp(`\\b(${Object.keys(FEATURE_OPTIONS).join("|")})\\b`, "g");
  return sources.flatMap(({ path, text }) => {
    const file = path.slice(root.length + 1);
    if (!path.startsWith(`${root}/`) || !core.includes(unitOf(file, { folders }))) return [];
    const found = [...withoutComments(text).matchAll(names)].map(([name]) => name);
    return [...new Set(found)]
      .filter((name) => !FEATURE_OPTIONS[name].includes(file))
      .map((name) => `${path}: the core names the feature "${name}": use a hook of server/feature.ts.`);
  });
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, "");
}

/** Whether a name such as `preact` or `node:*` stands for a package. */
function isNamed(to, name) {
  return name.endsWith("*") ? to.startsWith(name.slice(0, -1)) : to === name;
}

/** The nearest folder around a file that has a list of imports; `undefined` if no folder around it has a row. */
function unitOf(file, { folders }) {
  const folder = posix.dirname(file);
  if (folder === ".") return "";
  if (folders[folder]?.imports !== undefined) return folder;
  return folder.includes("/") || folder in folders ? unitOf(folder, { folders }) : undefined;
}

function nameOf(folder) {
  return folder === "" ? "a file outside of the folders" : `${folder}/`;
}
