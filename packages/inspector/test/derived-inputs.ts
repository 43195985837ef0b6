import { readdirSync, readFileSync } from "node:fs";
import type { JsonObject } from "../src/protocol/data.ts";

/** The input schemas of the tools that the tests of derivation record. */
export function derivedInputs(): [string, JsonObject][] {
  const folder = new URL("../../cli/test/derive/fixtures/", import.meta.url);
  return readdirSync(folder).flatMap((name): [string, JsonObject][] => {
    const { tools = [] } = JSON.parse(readFileSync(new URL(`${name}/expected.json`, folder), "utf8"));
    return tools.map((tool: { name: string; inputSchema: JsonObject }): [string, JsonObject] => [
      `${name}/${tool.name}`,
      tool.inputSchema,
    ]);
  });
}
