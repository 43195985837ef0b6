import { describe, expect, it } from "vitest";
import { check, manyTools, plainTool } from "./type-check.ts";

/** The schemas of a library for the n-th tool. */
const zodInput = (n: number) => `z.object({
    key${n}: z.string(),
    count: z.int().min(${n}).optional(),
    tags: z.array(z.enum(["a${n}", "b", "c"])).optional(),
    place: z.object({ x${n}: z.number().optional(), y: z.number() }),
  })`;
const zodOutput = (n: number) => `z.object({ found${n}: z.string() })`;

const zod = manyTools(
  'import { z } from "zod";',
  (n) => `defineTool({
    name: "tool_${n}",
    input: ${zodInput(n)},
    output: ${zodOutput(n)},
    handle: (input) => ({ found${n}: input.key${n} + (input.tags?.[0] ?? "") + String(input.place.y + (input.count ?? 0)) }),
  }),`,
);

/** The same schemas without Proffer: the cost of the library alone. */
const zodAlone = `import { z } from "zod";\n${Array.from(
  { length: 200 },
  (_, n) => `const input${n} = ${zodInput(n)};
    const output${n} = ${zodOutput(n)};
    export function handle${n}(input: z.output<typeof input${n}>): z.output<typeof output${n}> {
      return { found${n}: input.key${n} };
    }`,
).join("\n")}`;

describe("two hundred tools", () => {
  it("with JSON Schema need at most 100,000 instantiations", () => {
    const { problems, instantiations } = check("plain", manyTools("", plainTool));
    expect(problems).toEqual([]);
    expect(instantiations).toBeLessThanOrEqual(100_000);
  });

  it("with zod need at most 100,000 instantiations more than zod alone", () => {
    const { problems, instantiations } = check("zod", zod);
    expect(problems).toEqual([]);
    expect(instantiations - check("zod-alone", zodAlone).instantiations).toBeLessThanOrEqual(100_000);
  });
});
