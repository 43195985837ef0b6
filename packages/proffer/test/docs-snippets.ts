import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const source = join(root, "packages/proffer/src");

export interface Snippet {
  /** For example `docs/tools.md:7`. */
  readonly place: string;
  readonly path: string;
  readonly code: string;
}

export const documents = [
  "README.md",
  "packages/proffer/README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** Writes the snippets to a folder while the tests of a file run. */
export function useSnippets(): { readonly folder: string; readonly snippets: readonly Snippet[] } {
  const folder = mkdtempSync(join(tmpdir(), "proffer-docs-"));
  const snippets = documents.flatMap((document) => snippetsOf(document, folder));
  beforeAll(() => {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    for (const { path, code } of snippets) writeFileSync(path, code);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, snippets };
}

function snippetsOf(document: string, folder: string): Snippet[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => {
    const line = text.slice(0, found.index).split("\n").length;
    const name = `${document.replace(/\W/g, "-").toLowerCase()}-${line}.ts`;
    return { place: `${document}:${line}`, path: join(folder, name), code: found[1] ?? "" };
  });
}

/** Runs a snippet, which must exit without help. */
export async function runSnippet({ path }: Snippet, folder: string): Promise<void> {
  const program = path.replace(/\.ts$/, ".mjs");
  await build({
    entryPoints: [path],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    plugins: [
      {
        name: "the workspace's sources, and everybody else's packages",
        setup({ onResolve }) {
          onResolve({ filter: /^proffer(\/|$)/ }, (found) => ({
            path: join(source, `${found.path.slice("proffer/".length) || "index"}.ts`),
          }));
          onResolve({ filter: /^@proffer\/cli\// }, (found) => ({
            path: join(root, `packages/cli/src/${found.path.slice("@proffer/cli/".length)}.ts`),
          }));
          onResolve({ filter: /^[^./]/ }, (found) => ({ path: found.path, external: found.kind !== "entry-point" }));
        },
      },
    ],
  });
  // Some snippets create a folder and leave it in the temporary directory.
  const env = { ...process.env, TMPDIR: folder, TEMP: folder };
  const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code] = await once(child, "close");
  expect({ code, printed: code === 0 ? "" : printed }).toEqual({ code: 0, printed: "" });
}
