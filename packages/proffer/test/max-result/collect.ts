import type { CallResult, ContentBlock } from "proffer";
import type { TestClient } from "proffer/testing";
import { expect } from "vitest";

/** A result and all its parts. */
export interface Collected {
  /** The blocks of each part, without the sentence and the link. */
  readonly parts: readonly (readonly ContentBlock[])[];
  readonly sentences: readonly string[];
  readonly links: readonly string[];
  readonly first: CallResult;
}

const CURSOR = /cursor "([\w-]{24})"/;

/** The sentence of a part: its last text. */
export function sentenceOf({ content }: CallResult): string {
  const [sentence] = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).slice(-1);
  return sentence ?? "";
}

export function cursorOf(result: CallResult): string {
  return CURSOR.exec(sentenceOf(result))?.[1] ?? expect.unreachable(`no cursor in: ${sentenceOf(result)}`);
}

/** Calls a tool, and `more` until the last part. */
export async function collect(client: TestClient, name: string, input: object = {}): Promise<Collected> {
  let result = (await client.call(name, input as never)) as CallResult;
  const first = result;
  const all = { parts: [] as ContentBlock[][], sentences: [] as string[], links: [] as string[], first };
  for (;;) {
    const isRest = (block: ContentBlock) => block.type === "resource_link" && block.uri.startsWith("proffer-result:");
    const blocks = result.content.filter((block) => !isRest(block));
    all.links.push(...result.content.filter(isRest).map((block) => (block as { uri: string }).uri));
    all.sentences.push(sentenceOf(result));
    all.parts.push(blocks.slice(0, -1));
    if (!CURSOR.test(sentenceOf(result))) return all;
    result = (await client.call("more", { cursor: cursorOf(result) })) as CallResult;
  }
}

/** All texts of all parts. */
export function textsOf({ parts }: Collected): string[] {
  return parts.flat().flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && block.resource.text !== undefined ? [block.resource.text] : [];
  });
}
