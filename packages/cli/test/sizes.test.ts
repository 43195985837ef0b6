import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatSizes } from "../src/commands/check.ts";
import { findCostliest } from "../src/derive/exports/item-checks.ts";
import { bytesOf, sizeOfTool } from "../src/derive/model/tool-size.ts";
import { stylesFor } from "../src/terminal/terminal.ts";
import { createProject, type Project } from "./project.ts";

const text = (length: number) => ({ type: "string", description: "x".repeat(length) }) as const;

describe("the sizes of tools", () => {
  test("are the bytes of the entry, estimated tokens and the levels of values", () => {
    const tool = {
      name: "add",
      description: "é",
      inputSchema: { type: "object", properties: { list: { type: "array", items: { type: "string" } } } },
      outputSchema: { type: "number" },
    };
    expect(sizeOfTool(tool)).toEqual({
      name: "add",
      bytes: Buffer.byteLength(JSON.stringify(tool)),
      tokens: Math.round(Buffer.byteLength(JSON.stringify(tool)) / 4.4),
      depth: 2,
      recursive: false,
      inputBytes: JSON.stringify(tool.inputSchema).length,
      outputBytes: 17,
    });
  });

  test("mark a type that contains itself", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } };
    const inputSchema = { type: "object", properties: { tree: { $ref: "#/$defs/Tree" } }, $defs: { Tree: tree } };
    expect(sizeOfTool({ name: "grow", inputSchema })).toMatchObject({ depth: 3, recursive: true });
  });

  test("are aligned, the largest first", () => {
    const sizes = [
      { name: "add", inputSchema: {} },
      { name: "überall", inputSchema: { properties: { a: text(2_000) } } },
    ].map(sizeOfTool);
    expect(String(formatSizes(sizes, stylesFor({ isTTY: false } as typeof process.stdout))).split("\n")).toEqual([
      "Sizes      bytes  tokens  depth",
      "  überall  2,089    ~475      1",
      "  add         31      ~7      0",
    ]);
  });

  test("name the part without which most bytes are saved, also if it is a definition", () => {
    const schema = {
      type: "object",
      properties: {
        shared: { $ref: "#/$defs/Shared" },
        order: {
          type: "object",
          properties: {
            id: text(900),
            shared: { $ref: "#/$defs/Shared" },
            customers: { items: { $ref: "#/$defs/Customer" } },
          },
        },
      },
      // Both use the larger one, so removing one of them saves nothing.
      $defs: { Shared: text(5_000), Customer: { type: "object", properties: { id: text(1_000), name: text(1_100) } } },
    } as const;
    const found = findCostliest(schema);
    expect(found?.path).toBe("order.customers[].name");
    expect(found?.bytes).toBe(bytesOf(text(1_100)));
  });
});

describe("a large schema", () => {
  let project: Project;

  beforeAll(() => {
    project = createProject();
    const fields = Array.from(
      { length: 400 },
      (_, i) => `/** Some field of the customer, number ${i}. */ field${i}: string;`,
    );
    project.write(
      "tools.ts",
      `export interface Customer { ${fields.join("\n")} }
interface Order { id: string; customers: Customer[] }
/** Pays. */
export function pay(order: Order): void { void order; }
/** Finds. */
export function find(id: string): Customer | null { void id; return null; }
/** Adds. */
export const add = (a: number): number => a;
`,
    );
  });

  afterAll(() => project.remove());

  test("is a warning at its function, with the costliest property and the type to write", async () => {
    const { status, stdout } = await project.proffer("check", "tools.ts", "--json");
    expect(status).toBe(0);
    const { diagnostics, sizes } = JSON.parse(stdout);
    expect(diagnostics).toHaveLength(2);
    expect(diagnostics[0]).toMatchObject({ code: "PF2301", severity: "warning", line: 403, column: 17 });
    expect(diagnostics[0].message).toMatch(
      /^The input schema of 'pay' has \d\d kB, about [\d,]+ tokens for each model that reads it\. 'order\.customers\[\]' is 9\d % of it\. Accept only the needed properties: Pick<T, "field0" \| "field1" \| …>, Omit, /,
    );
    expect(diagnostics[1].message).toMatch(
      /^The output schema of 'find' has .* Return only the needed properties: Pick</,
    );
    expect(sizes.map(({ name }: { name: string }) => name)).toEqual(["pay", "find", "add"]);
    expect(sizes[0].inputBytes).toBeGreaterThan(16_000);
  });

  test("is shown by check and build on a terminal or in a pipe", async () => {
    const { stdout } = await project.proffer("check", "tools.ts");
    expect(stdout).toMatch(/^Sizes +bytes +tokens +depth\n {2}pay +[\d,]+ +~[\d,]+ +4\n {2}find +[\d,]+ /m);
    expect((await project.proffer("build", "tools.ts", "--out", "out", "--no-start")).stderr).toMatch(
      /tools\.ts:403:17 warning PF2301 The input/,
    );
  });
});
