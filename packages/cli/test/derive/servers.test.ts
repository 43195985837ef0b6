import { afterAll, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import { createWorkspace } from "./workspace.ts";

const workspace = createWorkspace();
const deriver = createDeriver(workspace.path("input.ts"));

afterAll(() => workspace.remove());

function deriveModule(source: string) {
  const lib = `${IMPORT}\nexport const server = ${DEFINE};\n`;
  workspace.write({ "lib.ts": lib, "input.ts": `${source}\n` });
  return deriver.derive();
}

const IMPORT = 'import { defineServer, type Server } from "proffer";';
const TOOL = "/** Says hello. */ export const hello = (): string => 'Hello!';";
const DEFINE = 'defineServer({ name: "own", version: "1.0.0" })';

test.each([
  ["a constant", `export const server = ${DEFINE};`],
  ["an annotation", `export const server: Server = ${DEFINE};`],
  ["satisfies", `export const server = ${DEFINE} satisfies Server;`],
  ["an assertion", `export const server = ${DEFINE} as Server;`],
  ["additional members", `export const server = Object.assign(${DEFINE}, { started: true });`],
  ["a list of exports", `const own = ${DEFINE}; export { own as server };`],
  ["two names for one server", `export const server = ${DEFINE}; export { server as api };`],
  [
    "another server that is internal",
    `export const server = ${DEFINE}; /** @internal */ export const api = ${DEFINE};`,
  ],
  ["a re-export", 'export { server } from "./lib.ts";'],
  ["export *", 'export * from "./lib.ts";'],
])("adds functions to the export 'server': %s", (_, source) => {
  const derivation = deriveModule(`${IMPORT}\n${source}\n${TOOL}`);
  expect(derivation.diagnostics).toEqual([]);
  expect(derivation.form).toBe("combined");
  expect(derivation.tools.map(({ name }) => name)).toEqual(["hello"]);
  expect(derivation.places).toEqual({ hello: "input.ts:3" });
});

test.each([
  ["PF1701", "'server' and 'api'", `export const server = ${DEFINE}; export const api = ${DEFINE};`],
  ["PF1701", "'api' and 'admin'", `export const api = ${DEFINE}; export const admin = ${DEFINE};`],
  ["PF1701", "'default' and 'server'", `export default ${DEFINE}; export const server = ${DEFINE};`],
  ["PF1701", "'default' and 'server'", `export const server = ${DEFINE}; export default server;`],
  ["PF1702", "'api' is a server", `export const api = ${DEFINE};`],
  ["PF1702", "'server' is served", 'export { server as api } from "./lib.ts";'],
  ["PF1703", "export const server = await", `export const server = Promise.resolve(${DEFINE});`],
  ["PF1703", "export default await", `export default Promise.resolve(${DEFINE});`],
])("reports %s, %s", (code, message, source) => {
  const { diagnostics } = deriveModule(`${IMPORT}\n${source}\n${TOOL}`);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors).toMatchObject([{ code, message: expect.stringContaining(message) }]);
});

test("accepts a server without functions, by any combination of its two names", () => {
  for (const [source, form] of [
    [`export const server = ${DEFINE};`, "combined"],
    [`export const server = ${DEFINE}; export default server;`, "server"],
  ]) {
    const derivation = deriveModule(`${IMPORT}\n${source}`);
    expect(derivation).toMatchObject({ form, tools: [], diagnostics: [] });
  }
});

test("names the functions and servers beside a default server, and the remedy", () => {
  const functions = ["a", "b", "c", "d", "e", "f"].map((name) => `export const ${name} = (): void => {};`);
  const source = `${IMPORT}\nexport default ${DEFINE};\n${functions.join("\n")}`;
  const { form, diagnostics } = deriveModule(`${source}\nexport const admin = ${DEFINE};`);
  expect(form).toBe("server");
  expect(diagnostics).toMatchObject([
    {
      code: "PF2201",
      line: 2,
      message: expect.stringContaining(
        "so 'a', 'b', 'c', 'd', 'e' and 2 more are not served. To add exported functions to the server, write export const server = …",
      ),
    },
  ]);
});

test("does not take a value of another package, or a function, for a server", () => {
  const http = deriveModule(
    `import { createServer } from "node:http";\nexport const server = createServer();\n${TOOL}`,
  );
  expect(http).toMatchObject({ form: "functions", diagnostics: [] });
  const tool = deriveModule("/** The server's name. */\nexport function server(): string { return 'a'; }");
  expect(tool.tools.map(({ name }) => name)).toEqual(["server"]);
});
