import type { Implementation } from "proffer";
import { parseTemplate } from "proffer/uri";
import { isObject, type Members } from "../terminal/json.ts";
import type { Listing } from "../terminal/listing.ts";
import { block, comment, labelOf, literal, propertyName, typeName, USED } from "./names.ts";
import { createSchemaWriter, type SchemaWriter } from "./schema-type.ts";

/** The first words of each written file, so that no other file is replaced. */
export const HEADER = "// Written by `proffer types`";

/** Writes the interface of a server, for `connect` of `proffer/client`. The order of its lists makes no difference. */
export function writeInterface({ name, version }: Implementation, listing: Listing, wanted?: string): string {
  const own = wanted ?? typeName(name);
  const title = USED.includes(own) ? `${own}Server` : own;
  const writer = createSchemaWriter([...USED, title]);
  const { tools, prompts, resources, resourceTemplates } = listing;
  const uris = [
    ...resources.map((resource) => ({ ...resource, name: resource.uri, inputSchema: NOTHING, _meta: undefined })),
    ...resourceTemplates.map((template) => {
      const { uriTemplate } = template;
      return { ...template, name: uriTemplate, inputSchema: variablesOf(uriTemplate), _meta: undefined };
    }),
  ];
  const text = block([
    `readonly $server: { readonly name: ${literal(name)}; readonly version: ${literal(version)} };`,
    group(writer, "tools", tools, (tool) => resultOf(writer, tool)),
    group(
      writer,
      "prompts",
      prompts.map((prompt) => ({ ...prompt, inputSchema: textsOf(prompt) })),
      () => "PromptResult",
    ),
    group(writer, "resources", uris, () => "ReadResult"),
  ]);
  const whole = [`export interface ${title} ${text}`, ...writer.aliases()].join("\n\n");
  const imported = ["ContentBlock", "PromptResult", "ReadResult"].filter((each) => whole.includes(each));
  const imports = imported.length === 0 ? "" : `import type { ${imported.join(", ")} } from "proffer";\n\n`;
  return `${HEADER}. Do not edit: write it again.\n${imports}${whole}\n`;
}

/** An item with the schema of its arguments. */
interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
  readonly _meta?: Readonly<Members> | undefined;
}

function group<Item extends Listed>(
  writer: SchemaWriter,
  name: string,
  items: readonly Item[],
  resultOf: (item: Item) => string,
): string {
  const byName = new Map(items.map((item) => [item.name, item]));
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const members = sorted.map((item) => {
    const call = `(${parametersOf(writer, item)}) => Promise<${resultOf(item)}>`;
    return `${comment(item.description)}readonly ${propertyName(item.name)}: ${call};`;
  });
  return `readonly ${name}: ${block(members)};`;
}

/** A function without a schema may give anything; other tools give blocks. */
function resultOf(writer: SchemaWriter, { name, outputSchema, _meta = {} }: Listing["tools"][number]): string {
  if (outputSchema !== undefined) return writer.typeOf(outputSchema, outputSchema, `${name} result`);
  return "proffer/parameters" in _meta ? "unknown" : "readonly ContentBlock[]";
}

function parametersOf(writer: SchemaWriter, { name, inputSchema, _meta }: Listed): string {
  const schema: Members = isObject(inputSchema) ? inputSchema : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const positions = _meta?.["proffer/parameters"];
  if (Array.isArray(positions)) {
    const last = positions.findLastIndex((each) => required.includes(each));
    const elements = positions.map((position, index) => {
      const argument = String(position).replace(/^\.\.\./, "");
      const own = Object.hasOwn(properties, argument) ? properties[argument] : true;
      const type = writer.typeOf(own, schema, name);
      const isRest = argument !== position && index === positions.length - 1;
      if (isRest) return `...${labelOf(argument)}: ${isObject(own) && own.type === "array" ? type : "unknown[]"}`;
      if (index > last) return `${labelOf(argument)}?: ${type}`;
      return `${labelOf(argument)}: ${required.includes(argument) ? type : `${type} | undefined`}`;
    });
    return elements.length === 0 ? "" : `...args: [${elements.join(", ")}]`;
  }
  if (isObject(schema.properties) && Object.keys(properties).length === 0 && !schema.additionalProperties) return "";
  const type = [undefined, "object"].includes(schema.type as string) ? writer.typeOf(schema, schema, name) : "unknown";
  return `input${required.length === 0 ? "?" : ""}: ${type === "unknown" ? "{ [key: string]: unknown }" : type}`;
}

const NOTHING = { properties: {} };

function textsOf({ arguments: declared = [] }: Listing["prompts"][number]): object {
  const texts = declared.map(({ name, description }) => [name, { type: "string", description }]);
  const required = declared.filter((each) => each.required === true).map(({ name }) => name);
  return { properties: Object.fromEntries(texts), required };
}

/** The variables of a template. Its server may have another syntax, so an unreadable one takes any. */
function variablesOf(template: string): object {
  const value = { type: ["string", "number", "boolean"] };
  try {
    const { variables } = parseTemplate(template);
    const types = variables.map(({ name, explode }) => [name, explode ? { type: "array", items: value } : value]);
    const isRequired = ({ operator, explode }: (typeof variables)[number]) => !explode && /^\+?$/.test(operator);
    return {
      properties: Object.fromEntries(types),
      required: variables.filter(isRequired).map(({ name }) => name),
    };
  } catch {
    return { additionalProperties: value };
  }
}
