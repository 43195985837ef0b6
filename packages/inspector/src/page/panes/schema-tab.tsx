import type { VNode } from "preact";
import type { Json } from "../../protocol/json.ts";
import type { Item } from "../../protocol/offer.ts";
import { CopyButton } from "../result/copy-button.tsx";
import { JsonTree } from "../result/json-tree.tsx";
import { Cost } from "./cost.tsx";

const SECTIONS: readonly (readonly [name: string, title: string])[] = [
  ["inputSchema", "Input schema"],
  ["outputSchema", "Output schema"],
  ["annotations", "Annotations"],
];

/** The description of an item as the server sent it. */
export function SchemaTab({ item }: { readonly item: Item }): VNode {
  const { description } = item;
  const sections = SECTIONS.filter(([name]) => description[name] !== undefined);
  const known = new Set(sections.map(([name]) => name));
  const rest = Object.fromEntries(Object.entries(description).filter(([name]) => !known.has(name)));
  return (
    <>
      {item.kind === "tool" && <Cost tool={item.key} />}
      {sections.map(([name, title]) => (
        <section key={name} aria-label={title}>
          <h3>{title}</h3>
          <JsonTree value={description[name] as Json} label={title} />
        </section>
      ))}
      <section aria-label="Description">
        <h3>{sections.length > 0 ? "The rest" : "Description"}</h3>
        <JsonTree value={rest} label="Description" />
      </section>
      <CopyButton text={JSON.stringify(description, null, 2)} label="Copy" />
    </>
  );
}
