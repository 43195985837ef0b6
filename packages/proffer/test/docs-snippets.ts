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

/** The snippets of a page, except files in folders of a project, such as `// src/main.ts`: the test of their page compiles them. */
function snippetsOf(document: string, folder: string): Snippet[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```ts\n(?!\/\/ \S+\/\S+\n)([\s\S]*?)^```$/gm)].map((found) => {
    const line = text.slice(0, found.index).split("\n").length;
    const name = `${document.replace(/\W/g, "-").toLowerCase()}-${line}.ts`;
    return { place: `${document}:${line}`, path: join(folder, name), code: found[1] ?? "" };
  });
}

/** `console.log` prints each value on one line, as the comments of the snippets show it. */
const ONE_LINE = `data:text/javascript,${encodeURIComponent(
  'import { inspect } from "node:util"; Object.assign(inspect.defaultOptions, { breakLength: Infinity, compact: true });',
)}`;

/**
 * Runs a snippet, which must exit without help and print the output that its comments show: `console.log(…); // text`. A
 * comment that begins with "for example, " stands for any line.
 */
export async function runSnippet({ path, code }: Snippet, folder: string): Promise<void> {
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
  const child = spawn(process.execPath, ["--import", ONE_LINE, program], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const [status] = await once(child, "close");
  expect({ status, stderr: status === 0 ? "" : texts.stderr }).toEqual({ status: 0, stderr: "" });
  const shown = shownIn(code);
  if (shown.length === 0) return;
  const printed = texts.stdout.trimEnd().split("\n");
  expect(printed.map((line, at) => (shown[at]?.startsWith("for example, ") ? shown[at] : line))).toEqual(shown);
}

/** The output in comments: behind the statement that prints it, or on lines of their own below it, or below its loop. */
function shownIn(code: string): string[] {
  const found = code.matchAll(/console\.log\(.*;(?: \/\/ (.*)|\n(?:\}\n)?((?:\/\/ .*\n)+))/g);
  return [...found].flatMap(([, behind, below = ""]) =>
    behind === undefined ? [...below.matchAll(/^\/\/ (.*)$/gm)].map(([, line = ""]) => line) : [behind],
  );
}
