import type { VNode } from "preact";
import { visible } from "../text/visible.ts";

/** The address as a URL, if it may be opened: only http and https. */
export function webAddress(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A link to another site, with its host; anything else is text. */
export function SafeLink({ address }: { readonly address: string }): VNode {
  const url = webAddress(address);
  if (url === undefined) return <code>{visible(address)}</code>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer">
      {visible(address)} <span class="quiet">({url.host})</span>
    </a>
  );
}
