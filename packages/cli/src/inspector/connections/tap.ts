import type { Link } from "proffer/testing";
import { NO_RESPONSE } from "../../client/pending-requests.ts";
import type { WireLine } from "../protocol/wire.ts";
import type { WireRecord } from "../record/record.ts";
import type { OpenedLink } from "./opener.ts";

/** A link whose messages are recorded. */
export interface Tap {
  readonly link: Link;
  /** The line of the last message that was sent. */
  readonly lastSent: WireLine | undefined;
}

/** Milliseconds after which the budget of bytes begins anew without a request, as for notifications of a whole day. */
const RENEWAL = 60_000;

/**
 * Records what a link sends and receives, exactly.
 * @param unanswered - receives the reason if a request will have no response.
 */
export function tapLink(
  { link, renew }: OpenedLink,
  record: WireRecord,
  conn: string,
  unanswered: (reason: string) => void,
): Tap {
  let lastSent: WireLine | undefined;
  let renewed = performance.now();
  const begin = () => {
    renewed = performance.now();
    renew?.();
  };
  return {
    get lastSent() {
      return lastSent;
    },
    link(receive) {
      const opened = link((text) => {
        if (performance.now() - renewed > RENEWAL) begin();
        const reason = reasonOf(text);
        if (reason === undefined) record.add({ conn, dir: "in", text });
        receive(text);
        if (reason !== undefined) unanswered(reason);
      });
      return {
        ...opened,
        send(text) {
          // The pages of a list share the budget of its first one, so that a list ends.
          if (!text.includes('"cursor"')) begin();
          lastSent = record.add({ conn, dir: "out", text });
          opened.send(text);
        },
      };
    },
  };
}

/** The reason, if a link made this response because none can come: it was not on the wire. */
function reasonOf(text: string): string | undefined {
  if (!text.includes(`"code":${NO_RESPONSE},`)) return undefined;
  const { error } = JSON.parse(text);
  return error?.code === NO_RESPONSE ? String(error.message) : undefined;
}
