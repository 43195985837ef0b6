import { posix } from "node:path";
import { PACKAGES } from "./folders.mjs";

const TITLES = {
  "packages/proffer/src": "`proffer`, the run-time",
  "packages/cli/src": "`@proffer/cli`",
  "packages/inspector/src": "`@proffer/inspector`",
};

/** docs/folders.md: the folders that have sources, with their purposes and the directions of imports. */
export function foldersPage(sources) {
  const parts = Object.entries(PACKAGES).flatMap(([root, { folders, core }]) => {
    const inside = foldersIn(sources, root);
    const rows = Object.entries(folders)
      .filter(([folder]) => inside.includes(folder))
      .map(([folder, row]) => `| ${nameOf(folder)} | ${row.purpose} | ${importsText(row.imports, core)} |`);
    const list = core.length === 0 ? "" : `\nThe core is ${namesOf(core)}.\n`;
    return [
      `## ${TITLES[root]}\n${list}\n| folder of ${root} | purpose | imports values from |\n|---|---|---|\n${rows.join("\n")}\n`,
    ];
  });
  return `# Folders

This page is made by \`npm run house -- --write\` from \`scripts/house/folders.mjs\`. A folder without a list belongs to the one
around it, and imports as it does. Types may be imported from any folder, but the core takes them from the core.

${parts.join("\n")}`;
}

/** Folders without a row, and rows without a folder. */
export function wrongRows(sources) {
  return Object.entries(PACKAGES).flatMap(([root, { folders }]) => {
    const present = foldersIn(sources, root);
    const missing = present.filter((folder) => !(folder in folders));
    const gone = Object.keys(folders).filter((folder) => !present.includes(folder));
    return [
      ...missing.map((folder) => `${root}/${folder} has no row in scripts/house/folders.mjs.`),
      ...gone.map((folder) => `${root}/${folder} has a row in scripts/house/folders.mjs, but no sources.`),
    ];
  });
}

/** The folders of a package that have sources, also further inside; the package itself is "". */
function foldersIn(sources, root) {
  const found = new Set();
  for (const { path } of sources.filter(({ path }) => path.startsWith(`${root}/`))) {
    let folder = posix.dirname(path.slice(root.length + 1));
    for (; folder !== "."; folder = posix.dirname(folder)) found.add(folder);
    found.add("");
  }
  return [...found];
}

function importsText(imports, core) {
  if (imports === undefined) return "";
  if (imports === "all") return "every folder";
  const isWhole = core.length > 0 && core.every((folder) => imports.includes(folder));
  const others = isWhole ? imports.filter((folder) => !core.includes(folder)) : imports;
  const text = [...(isWhole ? ["the core"] : []), ...(others.length > 0 ? [namesOf(others)] : [])].join(", ");
  return text || "none";
}

function namesOf(folders) {
  return [...folders].sort().map(nameOf).join(", ");
}

function nameOf(folder) {
  return folder === "" ? "`.`" : `\`${folder}\``;
}
