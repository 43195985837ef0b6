import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeriver, type Derivation } from "../src/derive/index.ts";

const text = readFileSync(fileURLToPath(new URL("../../../docs/types.md", import.meta.url)), "utf8");

interface Row {
  /** The name of the function generated for the row. */
  readonly name: string;
  /** The header of its table. */
  readonly head: string;
  readonly cells: readonly string[];
}

/** For each table: the source of a row's function, and the part of its description that the last cell shows. */
const TABLES: {
  readonly [head: string]: {
    write(name: string, cells: readonly string[]): string;
    shown(tool: Derivation["tools"][number]): unknown;
  };
} = {
  "Type of a parameter | Its schema": {
    write: (name, [type]) => `/** A row. */ export function ${name}(value: ${type}): void {}`,
    shown: ({ inputSchema: { properties, $defs } }) => Object.assign({}, properties?.value, $defs && { $defs }),
  },
  "Parameters | Input schema": {
    write: (name, [parameters]) => `/** A row. */ export function ${name}${parameters}: void {}`,
    shown: ({ inputSchema }) => inputSchema,
  },
  "Type of the result | Output schema": {
    write: (name, [type]) => `/** A row. */ export function ${name}(): ${type} { throw 0; }`,
    shown: ({ outputSchema }) => outputSchema ?? "none",
  },
  "Comment | Type of `value` | Its schema": {
    write: (name, [comment, type]) =>
      `/** A row.\n * ${comment}\n */\nexport function ${name}(value: ${type}): void {}`,
    shown: ({ inputSchema }) => inputSchema.properties?.value,
  },
};

const rows = readRows();

function readRows(): Row[] {
  const found: Row[] = [];
  let head = "";
  for (const line of text.split("\n")) {
    if (!line.startsWith("|")) head = "";
    if (!line.startsWith("| ")) continue;
    const cells = line.slice(2, -2).split(" | ");
    if (head === "") head = cells.join(" | ");
    else found.push({ name: `row${found.length}`, head, cells: cells.map(plain) });
  }
  return found;
}

/** Returns the content of a cell without backticks and escapes. */
function plain(cell: string): string {
  return cell.replace(/^`+ ?(.*?) ?`+$/, "$1").replaceAll("\\|", "|");
}

describe("docs/types.md", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-types-")));
  let derivation: Derivation;

  beforeAll(() => {
    // The examples of codecs import packages.
    symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"));
    const declarations = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
    const functions = rows.map(({ name, head, cells }) => TABLES[head]?.write(name, cells));
    writeFileSync(join(folder, "rows.ts"), [...declarations, ...functions].join("\n"));
    derivation = createDeriver(join(folder, "rows.ts")).derive();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it("has rows in every kind of table, and examples without diagnostics", () => {
    expect(new Set(rows.map(({ head }) => head))).toEqual(new Set(Object.keys(TABLES)));
    expect(derivation.diagnostics).toEqual([]);
  });

  it.each(rows.map((row) => [row.cells.slice(0, -1).join(" on "), row] as const))("%s", (_, { name, head, cells }) => {
    const tool = derivation.tools.find((each) => each.name === name);
    const last = cells.at(-1) ?? "";
    const wanted = last === "none" ? last : JSON.parse(last);
    expect(tool && TABLES[head]?.shown(tool)).toEqual(wanted);
  });
});
