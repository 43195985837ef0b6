import type { Listing } from "./listing.ts";
import type { Styles } from "./terminal.ts";

/** Formats the lists of a server for the terminal. */
export function formatListing(listing: Listing, styles: Styles): string {
  const { tools, prompts, resources, resourceTemplates } = listing;
  const sections = [
    section("Tools", styles, tools, (tool) => [signature(tool.name, tool.inputSchema), tool.description]),
    section("Prompts", styles, prompts, (prompt) => [withArguments(prompt), prompt.description]),
    section("Resources", styles, resources, (resource) => [resource.uri, resource.description ?? resource.name]),
    section("Resource templates", styles, resourceTemplates, (template) => [
      template.uriTemplate,
      template.description ?? template.name,
    ]),
  ].filter((text) => text !== "");
  return sections.length === 0 ? "No tools, prompts or resources." : sections.join("\n\n");
}

function section<Item>(
  title: string,
  { bold, dim, cyan }: Styles,
  items: readonly Item[],
  describe: (item: Item) => [name: string, description: string | undefined],
): string {
  if (items.length === 0) return "";
  const lines = items.map((item) => {
    const [name, description] = describe(item);
    return `  ${cyan(name)}${description ? `  ${dim(firstLine(description))}` : ""}`;
  });
  return [`${bold(title)}`, ...lines].join("\n");
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

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
