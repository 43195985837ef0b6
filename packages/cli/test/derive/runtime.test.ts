import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import { createWorkspace } from "./workspace.ts";

/** The fixtures use simplified types of the run-time; these are the real ones. */
const runtime = dirname(fileURLToPath(import.meta.resolve("../../../proffer/package.json")));
const workspace = createWorkspace();

afterAll(() => workspace.remove());

function deriveModule(source: string) {
  workspace.write({
    "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { proffer: [`${runtime}/src/index.ts`] } } }),
    "input.ts": source,
  });
  return createDeriver(workspace.path("input.ts")).derive();
}

test("recognizes the types of the run-time", () => {
  const derivation = deriveModule(`
    import { assistant, type Context, contents, fail, type Failure, image, result, text, user } from "proffer";
    /** Asks. */
    export async function ask(ctx: Context, value: string): Promise<string> {
      const answer = await ctx.ask<{ name: string }>("Who?");
      const given = await ctx.ask("Who else?", { type: "object", properties: {} });
      return answer.action + given.action + value;
    }
    /** Content. */
    export const content = () => [text("a"), image(new Uint8Array(), "image/png")];
    /** Fails. */
    export function failing(): { at: Date } | Failure { return fail("no"); }
    /** Wraps. */
    export const wrapped = () => result({ count: 1 });
    /** A prompt. @prompt */
    export const prompt = () => [user("a"), assistant("b")];
    /** A resource. @resource app://several */
    export const several = () => contents([]);
  `);
  expect(derivation.diagnostics).toEqual([]);
  expect(derivation.questions).toHaveLength(1);
  const [ask, content, failing, wrapped] = derivation.tools;
  expect(ask?.binding.parameters).toEqual([{ kind: "context" }, { kind: "argument", name: "value" }]);
  expect(content).toMatchObject({ binding: { result: { kind: "content" } } });
  expect(content?.outputSchema).toBeUndefined();
  expect(failing?.outputSchema?.properties).toEqual({ at: { type: "string", format: "date-time" } });
  expect(wrapped?.outputSchema?.properties).toEqual({ count: { type: "number" } });
  expect(derivation.prompts).toHaveLength(1);
  expect(derivation.resources[0]?.binding.result).toEqual({ kind: "content" });
  expect(derivation.files.filter((file) => file.startsWith(runtime))).toEqual([]);
});

test("derives nothing from a module whose default export is a server", () => {
  const derivation = deriveModule(`
    import { defineServer } from "proffer";
    export default defineServer({ name: "own", version: "1.0.0" });
  `);
  expect(derivation.form).toBe("server");
  expect(derivation.diagnostics).toEqual([]);
});

test("adds functions to a server that is exported as 'server'", () => {
  const derivation = deriveModule(`
    import { defineServer, type Server } from "proffer";
    export const server: Server = defineServer({ name: "own", version: "1.0.0" });
    /** Says hello. */
    export const hello = (): string => server.info.name;
  `);
  expect(derivation.form).toBe("combined");
  expect(derivation.tools).toHaveLength(1);
  expect(derivation.diagnostics).toEqual([]);
});
