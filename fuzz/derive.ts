import fc from "fast-check";
import { compileJsonSchema, type Manifest } from "proffer/derived";
import { createDeriver } from "../packages/cli/src/derive/deriver.ts";
import { createWorkspace } from "../packages/cli/test/derive/workspace.ts";
import type { Target } from "./target.ts";

const NAMES = ["A", "B", "C"];
const member = fc.constantFrom("a", "b?", "readonly c", "kind", '"x-y"', "__proto__?", "0");
const literal = fc.constantFrom("'x'", "1", "-1", "1e400", "true", "null", "`a$" + "{string}`", '"😀"', "'__proto__'");
const rare = fc.constantFrom(
  ...[
    "unknown",
    "any",
    "never",
    "void",
    "object",
    "bigint",
    "symbol",
    "Function",
    "{}",
    "keyof A",
    "A['a']",
    "Missing",
  ],
  ...["A<B>", "string &", "infer X", "typeof f0", "import('./input.ts').A", "Uint8Array", "RegExp", "(x: A) => B"],
);

const { type } = fc.letrec<{ type: string }>((tie) => {
  const types = fc.array(tie("type"), { minLength: 1, maxLength: 3 });
  const generic = fc.constantFrom("Partial<#>", "Omit<#, 'a'>", "Map<string, #>", "Set<#>", "Record<string, #>", "#[]");
  const wrapped = fc.oneof(
    generic,
    fc.constantFrom("readonly (#)[]", "Required<#>", "{ [K in keyof #]: #[K] }", "(#)"),
  );
  return {
    type: fc.oneof(
      { maxDepth: 3, depthIdentifier: "type" },
      { weight: 6, arbitrary: fc.constantFrom("string", "number", "boolean", "Date", "URL", ...NAMES) },
      { weight: 2, arbitrary: literal },
      { weight: 1, arbitrary: rare },
      { weight: 2, arbitrary: fc.tuple(wrapped, tie("type")).map(([text, of]) => text.replaceAll("#", of)) },
      { weight: 1, arbitrary: types.map((list) => `[${list.join(", ")}, ...string[]]`) },
      { weight: 2, arbitrary: types.map((list) => `(${list.join(" | ")} | null)`) },
      { weight: 1, arbitrary: types.map((list) => `(${list.join(" & ")})`) },
      { weight: 4, arbitrary: fc.uniqueArray(member, { maxLength: 4 }).chain(membersOf) },
      {
        weight: 1,
        arbitrary: fc.tuple(tie("type"), tie("type")).map(([of, then]) => `(${of} extends string ? ${then} : 1)`),
      },
    ),
  };

  function membersOf(names: readonly string[]): fc.Arbitrary<string> {
    return fc.tuple(...names.map(() => tie("type"))).map((list) => {
      return `{ ${names.map((name, i) => `${name}: ${list[i]}`).join("; ")} }`;
    });
  }
});
const tag = fc.constantFrom(
  ...["Does.", "Does.", "@param a the first", "@readOnly", "@minimum 1", "@format date", "@default 1", "@title é", "*"],
  ...[
    "@pattern ^(a+)+$",
    "@pattern [",
    "@default {",
    "@example",
    "@unknown",
    "{@link A}",
    "@resource x://{a}",
    "@prompt",
  ],
);
const comment = fc.array(tag, { minLength: 1, maxLength: 3 }).map((tags) => `/** ${tags.join("\n * ")} */`);
const declaration = fc
  .tuple(comment, type, fc.boolean())
  .map(([text, of, isAlias]) =>
    isAlias ? `export type # = ${of};` : `export interface # { ${text} a: ${of}; next?: # }`,
  );
const parameters = fc
  .array(fc.tuple(type, fc.constantFrom(": #", ": #", ": #", "?: #", " = null as never as #", "")), { maxLength: 3 })
  .map((list) => list.map(([of, text], i) => `${"abc"[i]}${text.replace("#", of)}`).join(", "));
const FORMS = [
  "export function #(@): $ { return null as never; }",
  "export async function #(@): Promise<$> { return null as never; }",
  "export async function* #(@): AsyncGenerator<$> { yield null as never; }",
  "export const # = (@): $ => null as never;",
  "export const # = { run(@): $ { return null as never; } };",
  "export class # { static run(@): $ { return null as never; } }",
  "export default function #(@): $ { return null as never; }",
];
const exported = fc
  .tuple(comment, fc.constantFrom(...FORMS.slice(0, 2), ...FORMS), parameters, type)
  .map(([text, form, list, result]) => `${text}\n${form.replace("@", () => list).replace("$", () => result)}`);
/** The lines of a module: three types and some functions, which use each other. */
const lines = fc
  .tuple(fc.tuple(declaration, declaration, declaration), fc.array(exported, { minLength: 1, maxLength: 4 }))
  .map(([types, functions]) => [
    ...types.map((text, i) => text.replaceAll("#", NAMES[i] ?? "")),
    ...functions.map((text, i) => text.replace("#", `f${i}`)),
  ]);
/** A part of the module that is removed, which is often a syntax error. */
const hole = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.tuple(fc.nat({ max: 500 }), fc.nat({ max: 5 })));

/** Derives random modules: each has diagnostics or a manifest whose schemas compile; nothing throws. */
export const derive: Target = {
  name: "derive",
  runs: 25,
  open() {
    const workspace = createWorkspace();
    workspace.write({ "input.ts": "" });
    const deriver = createDeriver(workspace.path("input.ts"));
    const module = fc.property(lines, hole, (source, removed) => {
      const text = source.join("\n");
      const [at = 0, length = 0] = removed ?? [];
      workspace.write({ "input.ts": text.slice(0, at) + text.slice(at + length) });
      const { diagnostics, ...manifest } = deriver.derive();
      // TypeScript's own errors do not prevent a manifest.
      const isRefused = diagnostics.some(({ severity, code }) => severity === "error" && code.startsWith("PF"));
      if (!isRefused) checkSchemas(manifest);
      deriver.emit(workspace.path("out"));
    });
    return { property: module, close: () => workspace.remove() };
  },
};

/** Compiles all schemas: the deriver leaves out the functions whose schemas do not compile. */
function checkSchemas({ tools, prompts, resources }: Manifest): void {
  const values = [...prompts.map((prompt) => prompt.arguments), ...resources.map(({ variables }) => variables)].flat();
  const schemas = [
    ...tools.flatMap((tool) => [tool.inputSchema, tool.outputSchema]),
    ...values.map(({ schema }) => schema),
  ];
  for (const schema of schemas) if (schema) compileJsonSchema(schema);
}
