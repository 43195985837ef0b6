import { DEFAULT_PORT, type Inspector } from "@proffer/inspector";
import { onKey } from "../terminal/keys.ts";
import { openBrowser } from "../terminal/open-browser.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

/** How the address of the page is announced. */
export interface Announcement {
  /** The port that the user wanted. */
  readonly port?: number | undefined;
  /** Opens the page at once. */
  readonly open?: boolean | undefined;
  /** The key `o` opens it. Not if stdin carries messages. */
  readonly keys: boolean;
}

/** Announces the address of the page on stderr. */
export function announce(
  { url, port: used }: Inspector,
  { port = DEFAULT_PORT, open = false, keys }: Announcement,
): void {
  if (port !== 0 && used !== port) say(text`Port ${port} is taken; the inspector uses ${used}.`);
  const listens = keys && process.stdin.isTTY;
  say(text`Inspector at ${url}${listens ? "  (press o to open it)" : ""}`);
  const show = () => openBrowser(url, () => say(text`No browser could be opened. Open the address yourself: ${url}`));
  if (open) show();
  if (listens) onKey((key) => key === "o" && show());
}
