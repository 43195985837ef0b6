import { connect as connectSocket } from "node:net";
import type { ConnectRequest, LinkedClient, LinkObserver, ServerLinks } from "@proffer/inspector";
import type { Server } from "proffer";
import {
  connectOver,
  type Headers,
  type Link,
  type LinkOptions,
  linkCommand,
  linkUrl,
  type OpenLink,
  REVISIONS,
  SHAPES,
} from "proffer/client";
import { connectMemory } from "proffer/derived";
import { ByteBudget } from "../client/limits.ts";
import { credentialFile } from "../login/credential-file.ts";
import { ownVersion } from "../modules/packages.ts";
import { currentShell } from "../terminal/shell.ts";

/** The facts about a server of others, unless its link says otherwise. */
const SHARED = {
  clientInfo: { name: "proffer-inspector", version: ownVersion() },
  revisions: REVISIONS,
  supportsAll: false,
  spawns: false,
  changesCaller: false,
} as const;

/**
 * Connects to a server in this process.
 * @param connectTo - of the copy of the run-time that created the server
 */
export function linkServer(server: Server, connectTo = connectMemory): ServerLinks {
  return {
    ...SHARED,
    transport: "memory",
    supportsAll: true,
    changesCaller: true,
    async connect(request) {
      let source: object | undefined;
      const linked = await connectLink(request, ({ sent, received }) => (receive) => {
        const connection = connectTo(
          server,
          (text) => {
            received(text);
            receive(text);
          },
          { principal: request.caller },
        );
        ({ source } = connection);
        const send = (text: string) => {
          sent(text);
          connection.send(text);
        };
        return { send, close: () => connection.close() };
      });
      return { ...linked, source };
    },
  };
}

/** Connects to the server at a URL. */
export function linkAddress(url: string, headers: Headers, maxBytes: number): ServerLinks {
  const link = (options: LinkOptions) => linkUrl(url, { ...options, headers, login: { store: credentialFile } });
  return {
    ...SHARED,
    transport: "http",
    isThere: () => isListening(url),
    connect: (request) => connectLink(request, (observer) => linkWithin(maxBytes, observer, link)),
  };
}

/** Starts the command for each link. */
export function linkProcess(command: readonly string[], maxBytes: number): ServerLinks {
  const link = (options: LinkOptions, { stderr }: LinkObserver) =>
    linkCommand(command, { ...options, ...currentShell(), onStderr: stderr });
  return {
    ...SHARED,
    transport: "stdio",
    spawns: true,
    connect: (request) => connectLink(request, (observer) => linkWithin(maxBytes, observer, link)),
  };
}

/** Opens a client on the links that a function makes, one for each attempt. */
export async function connectLink(
  { name, observe, options }: ConnectRequest,
  linkTo: (observer: LinkObserver) => Link,
): Promise<LinkedClient> {
  // Ctrl-C ends the whole process, which closes everything.
  let opened: OpenLink | undefined;
  const link: Link = (receive, events) => {
    opened = linkTo(observe())(receive, events);
    return opened;
  };
  const client = await connectOver(link, { ...options, name, timeout: 0, cache: false });
  return {
    client,
    send: (text) => opened?.send(text),
    check(form, method, result) {
      SHAPES.checkShape(form === "task" ? SHAPES.TASK : SHAPES.INPUT_REQUIRED, "The server", method, result);
    },
  };
}

/** Milliseconds after which the budget of bytes begins anew without a request, as for notifications of a whole day. */
const RENEWAL = 60_000;

/** Gives each request of a link a budget of bytes. */
function linkWithin(
  maxBytes: number,
  observer: LinkObserver,
  link: (options: LinkOptions, observer: LinkObserver) => Link,
): Link {
  const budget = new ByteBudget(maxBytes);
  let renewed = performance.now();
  function renew(): void {
    renewed = performance.now();
    budget.renew();
  }
  const opened = link(
    {
      meter: budget.meter,
      maxBytes,
      observer: {
        ...observer,
        interrupted: observer.unanswered,
        sent(text, head) {
          // The pages of a list share the budget of its first one, so that a list ends.
          if (!text.includes('"cursor"')) renew();
          observer.sent(text, head);
        },
        received(text, head) {
          if (performance.now() - renewed > RENEWAL) renew();
          observer.received(text, head);
        },
      },
    },
    observer,
  );
  return (receive, events) =>
    opened(receive, {
      ...events,
      fail(error, id) {
        const wasPending = id === undefined || events.isPending(id);
        events.fail(error, id);
        if (wasPending) observer.unanswered();
      },
    });
}

/** Milliseconds for a connection. */
const TIMEOUT = 5000;

/** Finds whether anything accepts connections at the address of a URL. Nothing is sent. */
function isListening(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connectSocket({
    // An IPv6 address has brackets in a URL only.
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    timeout: TIMEOUT,
  });
  return new Promise((resolve) => {
    const end = (isThere: boolean) => {
      resolve(isThere);
      socket.destroy();
    };
    socket.on("connect", () => end(true));
    socket.on("timeout", () => end(false));
    socket.on("error", () => end(false));
  });
}
