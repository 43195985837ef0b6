import type { Principal, Server } from "proffer";
import { connectMemory } from "proffer/derived";
import type { Link } from "proffer/testing";
import { ByteBudget } from "../../client/byte-budget.ts";
import { linkCommand } from "../../client/command-link.ts";
import type { Headers } from "../../client/headers.ts";
import { linkUrl } from "../../client/http-link.ts";
import type { LinkObserver } from "../../client/link-options.ts";
import { REVISIONS } from "../../client/revisions.ts";
import type { Lane } from "../protocol/wire.ts";
import { isListening } from "./is-listening.ts";

/** A link to a target, and what is known of it beside its messages. */
export interface OpenedLink {
  readonly link: Link;
  /** Begins the budget of bytes anew. */
  renew?(): void;
  /** In this process: what the engine reports runs with. Known once the link is used. */
  readonly source?: () => object | undefined;
}

/** Opens links to one target: the one of the command line. */
export interface Opener {
  readonly transport: Lane["transport"];
  /** The revisions of the server, newest first, if they are known without asking. */
  readonly revisions?: readonly string[];
  /** Whether each link starts a process. */
  readonly spawns: boolean;
  /** Whether `caller` is heard. */
  readonly changesCaller: boolean;
  /** Whether the server can be reached again. Absent if only an attempt to connect can tell. */
  isThere?(): Promise<boolean>;
  open(observer: LinkObserver, caller?: Principal): OpenedLink;
}

/** Opens links to a server in this process. */
export function openServerLinks(server: Server): Opener {
  return {
    transport: "memory",
    revisions: REVISIONS,
    spawns: false,
    changesCaller: true,
    open(observer, principal) {
      let source: object | undefined;
      const link: Link = (receive) => {
        const received = (text: string) => {
          observer.received?.(text);
          receive(text);
        };
        const connection = connectMemory(server, received, { principal });
        ({ source } = connection);
        const send = (text: string) => {
          observer.sent?.(text);
          connection.send(text);
        };
        return { send, close: () => connection.close() };
      };
      return { link, source: () => source };
    },
  };
}

/** Opens links to the server at a URL. */
export function openUrlLinks(url: string, headers: Headers, maxBytes: number): Opener {
  return {
    transport: "http",
    spawns: false,
    changesCaller: false,
    isThere: () => isListening(url),
    open(observer) {
      const budget = new ByteBudget(maxBytes);
      return { link: linkUrl(url, { budget, headers, observer }), renew: () => budget.renew() };
    },
  };
}

/** Starts the command for each link. */
export function openCommandLinks(command: readonly string[], maxBytes: number): Opener {
  return {
    transport: "stdio",
    spawns: true,
    changesCaller: false,
    open(observer) {
      const budget = new ByteBudget(maxBytes);
      return { link: linkCommand(command, { budget, observer }), renew: () => budget.renew() };
    },
  };
}
