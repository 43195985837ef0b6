import type { Heading, Link, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { cannotReturn, gives } from "../expect.ts";

/** Parses Markdown. */
export function parse(text: string): Root {
  return fromMarkdown(text);
}
gives(parse, ["# A\n\n- [b](https://c.d)"]);
cannotReturn(parse, { type: "root" });

/** Lists the headings. */
export async function headings(text: string): Promise<Pick<Heading, "depth" | "position">[]> {
  return fromMarkdown(text).children.flatMap((node: RootContent) =>
    node.type === "heading" ? [{ depth: node.depth, position: node.position }] : [],
  );
}
gives(
  headings,
  ["# A"],
  [{ depth: 1, position: { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 4, offset: 3 } } }],
);

/** Shows the first link. */
export function link(text: string): Link | undefined {
  const [paragraph] = fromMarkdown(text).children;
  return paragraph?.type === "paragraph" ? paragraph.children.find((node) => node.type === "link") : undefined;
}
gives(link, ["[b](https://c.d 'T')"]);
