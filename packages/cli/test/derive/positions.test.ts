import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeriver } from "../../src/derive/index.ts";
import { createProject, type Project } from "../project.ts";

let project: Project;
beforeAll(() => {
  project = createProject();
});
afterAll(() => project.remove());

/** Writes files, derives `tools.ts`, and returns the places of each item as `file:line-endLine`. */
function positionsOf(files: Record<string, string[]>) {
  for (const [name, lines] of Object.entries(files)) project.write(name, ...lines);
  const deriver = createDeriver(project.path("tools.ts"), { check: false });
  const before = JSON.stringify(deriver.derive());
  const positions = deriver.positions();
  // Places are no part of a derivation.
  expect(JSON.stringify(deriver.derive())).toBe(before);
  const text = ({ file, line, endLine }: { file: string; line: number; endLine: number }) =>
    `${file.slice(project.folder.length + 1)}:${line}-${endLine}`;
  return new Map(
    positions.map(({ kind, key, places, pieces }) => [
      `${kind} ${key}`,
      {
        places: Object.fromEntries(places.map(({ pointer, range }) => [pointer, text(range)])),
        pieces: pieces.map(text),
      },
    ]),
  );
}

describe("the positions of a function", () => {
  it("are those of its parameters, of the properties of their types, and of its result", () => {
    const found = positionsOf({
      "types.ts": [
        "/** Where to. */",
        "export interface Address {",
        "  /** A postal code. */",
        "  zip: string;",
        '  kind: "home" | "work";',
        "}",
      ],
      "tools.ts": [
        'import type { Address } from "./types.ts";',
        "interface Item { sku: string; parts?: Item[] }",
        "/** Orders. */",
        "export async function order(",
        "  items: Item[],",
        "  to: Address,",
        "  options: { gift: boolean } = { gift: false },",
        "): Promise<{ total: number }> {",
        "  return { total: items.length };",
        "}",
      ],
    });
    const { places, pieces } = found.get("tool order") ?? {};
    expect(places).toMatchObject({
      "": "tools.ts:4-10",
      "/inputSchema/properties/items": "tools.ts:5-5",
      "/inputSchema/properties/to": "tools.ts:6-6",
      "/inputSchema/properties/options": "tools.ts:7-7",
      "/inputSchema/properties/options/properties/gift": "tools.ts:7-7",
      "/inputSchema/properties/to/properties/zip": "types.ts:4-4",
      "/inputSchema/properties/to/properties/kind": "types.ts:5-5",
      "/inputSchema/$defs/Item": "tools.ts:2-2",
      "/inputSchema/$defs/Item/properties/sku": "tools.ts:2-2",
      "/outputSchema": "tools.ts:8-8",
      "/outputSchema/properties/total": "tools.ts:8-8",
    });
    expect(pieces).toEqual(expect.arrayContaining(["tools.ts:3-10", "tools.ts:2-2", "types.ts:1-6"]));
  });

  it("are found through destructuring, renamed arguments, unions, sets and wrappers", () => {
    const found = positionsOf({
      "tools.ts": [
        "const retry = <A extends unknown[], R>(work: (...args: A) => R) => (...args: A): R => work(...args);",
        "interface Circle { kind: 'circle'; radius: number }",
        "interface Square { kind: 'square'; side: number }",
        "/** Draws. */",
        "export const draw = ({ shape, tags }: {",
        "  shape: Circle | Square;",
        "  tags?: Set<{ label: string }>;",
        "}): void => { void shape; void tags; };",
        "/** Finds. */",
        "export const find = retry((query: string, limit: number) => query + limit);",
      ],
    });
    expect(found.get("tool draw")?.places).toMatchObject({
      "/inputSchema/properties/shape": "tools.ts:6-6",
      "/inputSchema/properties/tags": "tools.ts:7-7",
      "/inputSchema/properties/tags/items/properties/label": "tools.ts:7-7",
    });
    const lines = new Map(
      Object.entries(found.get("tool draw")?.places ?? {}).map(([pointer, place]) => [
        pointer.split("/").at(-1),
        place,
      ]),
    );
    expect(lines.get("radius")).toBe("tools.ts:2-2");
    expect(lines.get("side")).toBe("tools.ts:3-3");
    expect(found.get("tool find")?.places).toMatchObject({
      "": "tools.ts:10-10",
      "/inputSchema/properties/query": "tools.ts:10-10",
    });
  });

  it("exist for prompts, resources and definitions", () => {
    const found = positionsOf({
      "tools.ts": [
        'import { defineServer, defineTool } from "proffer";',
        "export const server = defineServer({",
        '  name: "shop",',
        '  version: "1",',
        "  tools: [",
        "    defineTool({",
        '      name: "count",',
        "      handle: () => 1,",
        "    }),",
        "  ],",
        "});",
        "/** Reviews. @prompt */",
        "export const review = (code: string, language?: string): string => code + language;",
        "/** One order. @resource shop://orders/{id} */",
        "export const one = (id: string): string => id;",
      ],
    });
    expect([...found.keys()].sort()).toEqual(["prompt review", "resource shop://orders/{id}", "tool count"]);
    expect(found.get("tool count")).toEqual({ places: { "": "tools.ts:6-9" }, pieces: ["tools.ts:6-9"] });
    expect(found.get("prompt review")?.places).toEqual({
      "": "tools.ts:13-13",
      "/arguments/0": "tools.ts:13-13",
      "/arguments/1": "tools.ts:13-13",
    });
    expect(found.get("resource shop://orders/{id}")?.pieces).toEqual(["tools.ts:14-15"]);
  });

  it("are bounded for a type that refers to itself everywhere, and for a huge one", () => {
    const fields = Array.from({ length: 3000 }, (_, n) => `  field${n}: string;`);
    const found = positionsOf({
      "tools.ts": [
        "interface Tree { left?: Tree; right?: Tree; others: Record<string, Tree>; pair: [Tree, Tree?] }",
        "/** Grows. */",
        "export const grow = (tree: Tree): Tree => tree;",
        "interface Wide {",
        ...fields,
        "}",
        "/** Reads. */",
        "export const read = (wide: Wide): number => Object.keys(wide).length;",
      ],
    });
    expect(found.get("tool grow")?.places["/inputSchema/$defs/Tree/properties/pair"]).toBe("tools.ts:1-1");
    expect(Object.keys(found.get("tool read")?.places ?? {}).length).toBeLessThanOrEqual(2000);
  });
});
