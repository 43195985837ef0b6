import type { Principal } from "proffer";
import type { Link } from "proffer/testing";
import type { LinkObserver } from "../../client/link-options.ts";
import { NO_RESPONSE } from "../../client/pending-requests.ts";
import type { WireLine } from "../protocol/wire.ts";
import type { WireRecord } from "../record/record.ts";
import type { OpenedLink, Opener } from "./opener.ts";

/** A link whose messages are recorded. */
export interface Tap extends Pick<OpenedLink, "source"> {
  readonly link: Link;
  /** The line of the last message that was sent. */
  readonly lastSent: WireLine | undefined;
}

/** What a tap passes on beside the record. */
export interface TapEvents {
  stderr(text: string): void;
  /** The link uses the older transport. */
  fellBack(): void;
  /** A request will have no response, or a stream was interrupted: the server may be gone. */
  unanswered(): void;
  /** The server is gone. */
  ended(reason: string): void;
}

/** Milliseconds after which the budget of bytes begins anew without a request, as for notifications of a whole day. */
const RENEWAL = 60_000;

/** Opens a link and records what it sends and receives: exactly, and before anything is checked or dropped. */
export function openTap(opener: Opener, record: WireRecord, conn: string, events: TapEvents, caller?: Principal): Tap {
  let lastSent: WireLine | undefined;
  let renewed = performance.now();
  const observer: LinkObserver = {
    sent(text, http) {
      // The pages of a list share the budget of its first one, so that a list ends.
      if (!text.includes('"cursor"')) renew();
      lastSent = record.add({ conn, dir: "out", text, http });
    },
    received(text, http) {
      if (performance.now() - renewed > RENEWAL) renew();
      record.add({ conn, dir: "in", text, http });
    },
    stderr: events.stderr,
    fellBack: events.fellBack,
    interrupted: events.unanswered,
    ended: events.ended,
  };
  const opened = opener.open(observer, caller);
  function renew(): void {
    renewed = performance.now();
    opened.renew?.();
  }
  return {
    ...(opened.source && { source: opened.source }),
    get lastSent() {
      return lastSent;
    },
    link: (receive) =>
      opened.link((text) => {
        receive(text);
        if (isOwnError(text)) events.unanswered();
      }),
  };
}

/** Whether a link made this response because none can come: it was not on the wire. */
function isOwnError(text: string): boolean {
  return text.includes(`"code":${NO_RESPONSE},`) && JSON.parse(text).error?.code === NO_RESPONSE;
}
