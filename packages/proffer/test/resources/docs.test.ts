import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { formatWithOptions } from "node:util";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

// Each snippet of docs/resources.md runs alone and must print the output in its comments.

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const text = readFileSync(join(root, "docs/resources.md"), "utf8");
const snippets = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "proffer-docs-"));
  // Some snippets create a temporary folder and do not remove it.
  vi.stubEnv("TMPDIR", folder).stubEnv("TEMP", folder);
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a snippet of docs/resources.md", () => {
  it.each(snippets.map((code, at) => [headingOf(code), at, code] as const))("runs: %s", async (_, at, code) => {
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
      printed.push(formatWithOptions({ breakLength: Number.POSITIVE_INFINITY }, ...values));
    });
    await import(pathToFileURL(await compile(code, `snippet-${at}.mjs`)).href);
    const expected = [...code.matchAll(/console\.log\(.*; \/\/ (.*)$/gm)].map(([, comment = ""]) => comment);
    expect(printed.map((line) => line.trimEnd())).toEqual(expected);
  });
});

function headingOf(code: string): string {
  const before = text.slice(0, text.indexOf(code));
  return [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? "";
}

async function compile(code: string, name: string): Promise<string> {
  const outfile = join(folder, name);
  const source = join(root, "packages/proffer/src");
  await build({
    stdin: { contents: code, loader: "ts", resolveDir: root, sourcefile: `${name}.ts` },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    outfile,
    alias: Object.fromEntries(
      ["files", "jsonl", "sql", "testing", "uri"].map((entry) => [`proffer/${entry}`, join(source, `${entry}.ts`)]),
    ),
    plugins: [
      {
        name: "proffer",
        setup(builder) {
          builder.onResolve({ filter: /^proffer$/ }, () => ({ path: join(source, "index.ts") }));
        },
      },
    ],
    external: ["mime", "chokidar"],
    // A snippet requires packages from the workspace.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "package.json")).href) },
  });
  return outfile;
}
