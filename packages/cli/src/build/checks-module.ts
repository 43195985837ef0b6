import type { ManifestTool } from "proffer/derived";
import { type CheckDeclarations, writeCheck } from "./check-source.ts";

const HEAD = `// Checks of the arguments of each tool, as plain code. If a check is false, the schema in the manifest decides and
// provides the error message.
import { partCheck, run } from "proffer/checks";
`;

/** Writes the module with the checks of the arguments of all tools. */
export function writeChecksModule(tools: readonly ManifestTool[]): string {
  const declarations: CheckDeclarations = { functions: [], parts: [] };
  const entries = tools.map(({ name, inputSchema }) => {
    const test = writeCheck(inputSchema, declarations);
    return `  [${JSON.stringify(name)}, (value) => ${test}],\n`;
  });
  const parts = declarations.parts.map((json, i) => `const part${i} = partCheck(${JSON.stringify(json)});\n`);
  const functions = declarations.functions.map((body, i) => `\nfunction check${i}(value) {\n${body}}\n`);
  return `${HEAD}\n${parts.join("")}${functions.join("")}\nexport const checks = new Map([\n${entries.join("")}]);\n`;
}
