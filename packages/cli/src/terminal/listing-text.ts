import type { Listing } from "./listing.ts";
import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";

/** Formats the lists of a server for the terminal. */
export function formatListing(listing: Listing, styles: Styles): Text {
  const { tools, prompts, resources, resourceTemplates } = listing;
  const sections = [
    section("Tools", styles, tools, (tool) => [signature(tool.name, tool.inputSchema), tool.description]),
    section("Prompts", styles, prompts, (prompt) => [withArguments(prompt), prompt.description]),
    section("Resources", styles, resources, (resource) => [resource.uri, resource.description ?? resource.name]),
    section("Resource templates", styles, resourceTemplates, (template) => [
      template.uriTemplate,
      template.description ?? template.name,
    ]),
  ].filter((each) => !each.isEmpty);
  return sections.length === 0 ? text`No tools, prompts or resources.` : Text.join(sections, "\n\n");
}

function section<Item>(
  title: string,
  { bold, dim, cyan }: Styles,
  items: readonly Item[],
  describe: (item: Item) => [name: string, description: string | undefined],
): Text {
  if (items.length === 0) return text``;
  const lines = items.map((item) => {
    const [name, description] = describe(item);
    return description ? text`  ${cyan(name)}  ${dim(firstLine(description))}` : text`  ${cyan(name)}`;
  });
  return Text.join([bold(title), ...lines], "\n");
}

function signature(name: string, schema: { readonly required?: unknown; readonly properties?: object }): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(schema.properties ?? {});
  return `${name}(${names.map((each) => (required.has(each) ? each : `${each}?`)).join(", ")})`;
}

function withArguments(prompt: Listing["prompts"][number]): string {
  const names = (prompt.arguments ?? []).map(({ name, required }) => (required ? name : `${name}?`));
  return `${prompt.name}(${names.join(", ")})`;
}

function firstLine(value: string): string {
  return value.split(/\r?\n/, 1)[0] ?? "";
}
