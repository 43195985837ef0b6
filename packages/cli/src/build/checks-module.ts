import type { ManifestTool } from "proffer/derived";
import { type CheckDeclarations, writeCheck } from "./check-source.ts";

const HEAD = `// What the arguments of each tool must be, as plain code. Where a check is false, the schema in the manifest decides and
// says why.
import { partCheck, run } from "proffer/derived";
`;

/** Writes the module that checks the arguments of tools. */
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
