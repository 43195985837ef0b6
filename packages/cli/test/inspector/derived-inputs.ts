import { readdirSync, readFileSync } from "node:fs";

/** The input schemas of the tools that the tests of derivation record. */
export function derivedInputs(): [string, object][] {
  const folder = new URL("../derive/fixtures/", import.meta.url);
  return readdirSync(folder).flatMap((name): [string, object][] => {
    const { tools = [] } = JSON.parse(readFileSync(new URL(`${name}/expected.json`, folder), "utf8"));
    return tools.map((tool: { name: string; inputSchema: object }): [string, object] => [
      `${name}/${tool.name}`,
      tool.inputSchema,
    ]);
  });
}
