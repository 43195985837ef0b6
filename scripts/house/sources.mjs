import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../npm.mjs";

/** The sources of all packages without tests, as `{ path, text }`; paths are relative to the root of the workspace. */
export function readSources() {
  return readdirSync(join(root, "packages")).flatMap((name) => {
    const folder = posix.join("packages", name, "src");
    return readdirSync(join(root, folder), { recursive: true })
      .map((file) => posix.join(folder, file.replaceAll("\\", "/")))
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  });
}

// The sources are formatted, so these expressions find the same imports as TypeScript's parser, in a hundredth of its time.
const STATEMENT = /^(?:import|export) (?:(type )?(\*[^"]*|\{[^"}]*\}|[\w$]+(?:, \{[^"}]*\})?) from )?"([^"\n]+)";$/gm;
const EXPRESSION = /(typeof )?\bimport\("([^"\n$]+)"\)(\.[A-Z])?/g;

/**
 * The imports and re-exports of a text. Their kind is `value`, `lazy` (the expression `import()`), or `type` if nothing
 * but types is imported; `to` is the path of the file, or the specifier of a package.
 */
export function importsOf({ path, text }) {
  const to = (specifier) => (specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier);
  const statements = [...text.matchAll(STATEMENT)].map(([, type, names, specifier]) => {
    const typesOnly = type !== undefined || (names?.startsWith("{") && namesIn(names).every(({ type }) => type));
    return { to: to(specifier), kind: typesOnly ? "type" : "value" };
  });
  const expressions = [...text.matchAll(EXPRESSION)].map(([, query, specifier, member]) => {
    return { to: to(specifier), kind: query || member ? "type" : "lazy" };
  });
  return [...statements, ...expressions];
}

/** The names of a list such as `{ a, b as c, type D }`, as others see them. */
function namesIn(list) {
  const parts = list.slice(1, -1).split(",");
  return parts.flatMap((part) => {
    const [, type, name] = /^\s*(type )?(?:[\w$]+ as )?([\w$]+)\s*$/.exec(part) ?? [];
    return name ? [{ name, type: type !== undefined }] : [];
  });
}

/** The names that an entry file exports. */
export function exportsOf(text) {
  const lists = [...text.matchAll(/^export (?:type )?(\{[^"}]*\})/gm)].flatMap(([, list]) => namesIn(list));
  const own = /^export (?:declare |abstract |async )*(?:const|function|class|interface|type|enum) ([\w$]+)/gm;
  return [...lists.map(({ name }) => name), ...[...text.matchAll(own)].map(([, name]) => name)];
}
