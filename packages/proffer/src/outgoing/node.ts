import { builtinModule } from "../support/run-time.ts";
import { checkAddress, literalOf, reachOf } from "./address.ts";
import { FetchError, type OutgoingOptions, type Reply } from "./options.ts";

/** The parts of Node's modules that this one uses: it is checked without the types of Node. */
interface Socket {
  readonly remoteAddress?: string;
  destroy(): void;
}

interface IncomingMessage extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly socket: Socket;
}

interface ClientRequest {
  once(event: "response", listener: (response: IncomingMessage) => void): this;
  once(event: "connect", listener: (response: IncomingMessage, socket: Socket) => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  end(body?: string): void;
}

interface Http {
  request(url: URL, options: object): ClientRequest;
}

type Found = readonly { readonly address: string; readonly family: number }[];

type Lookup = (
  name: string,
  options: { readonly all?: boolean },
  done: (error: Error | null, found?: Found | string, family?: number) => void,
) => void;

interface Dns {
  lookup(name: string, options: object, done: (error: Error | null, found?: Found) => void): void;
}

/** Sends a request and connects to the addresses that were checked: a name could resolve to others a moment later. */
export async function sendOnNode(url: URL, options: OutgoingOptions): Promise<Reply> {
  const { method = "GET", headers = {}, body, signal, within } = options;
  // This machine is not behind a proxy.
  const proxy = url.protocol === "https:" ? options.proxy : undefined;
  const connection =
    proxy === undefined
      ? { agent: false, lookup: createLookup(url, within) }
      : { createConnection: await openTunnel(url, proxy, signal) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": new TextEncoder().encode(body).length };
    moduleFor(url)
      .request(url, { method, headers: { ...headers, ...length }, signal, ...connection })
      .once("response", resolve)
      .on("error", reject)
      .end(body);
  });
  const { statusCode = 0, headers: received, socket } = response;
  const address = proxy === undefined ? socket.remoteAddress : literalOf(url);
  const reach = address === undefined ? "public" : reachOf(address);
  return {
    status: statusCode,
    header: (name) => received[name]?.toString(),
    reach: reach === "none" ? "public" : reach,
    chunks: response,
  };
}

function moduleFor({ protocol }: URL): Http {
  return builtinModule(protocol === "https:" ? "node:https" : "node:http") as Http;
}

/** Creates the function by which a connection finds the addresses of a name. One that is forbidden forbids all. */
function createLookup(url: URL, within: OutgoingOptions["within"]): Lookup {
  const dns = builtinModule("node:dns") as Dns;
  return (name, options, done) => {
    dns.lookup(name, { ...options, all: true }, (error, found = []) => {
      try {
        if (error !== null) throw error;
        for (const { address } of found) checkAddress(url, address, within);
        const [first] = found;
        if (options.all) done(null, found);
        else done(null, first?.address, first?.family);
      } catch (problem) {
        done(problem as Error);
      }
    });
  };
}

interface Tls {
  connect(options: { readonly socket: Socket; readonly servername: string }): Socket;
}

/** Opens a connection through a proxy (RFC 9110, section 9.3.6), and returns the function that starts TLS on it. */
async function openTunnel(url: URL, text: string, signal: AbortSignal | undefined): Promise<() => Socket> {
  const proxy = new URL(text);
  const { username, password } = proxy;
  const authority = `${url.hostname}:${url.port || 443}`;
  const credentials = `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
  const headers = { host: authority, ...(username && { "proxy-authorization": credentials }) };
  const options = { method: "CONNECT", path: authority, headers, agent: false, signal };
  const socket = await new Promise<Socket>((resolve, reject) => {
    const refuse = (status: number | undefined) =>
      reject(new FetchError(`The proxy ${proxy.host} answered with status ${status} for ${authority}.`));
    moduleFor(proxy)
      .request(new URL(proxy.origin), options)
      .once("connect", ({ statusCode }, socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        refuse(statusCode);
      })
      .once("response", ({ statusCode }) => refuse(statusCode))
      .on("error", reject)
      .end();
  });
  const tls = builtinModule("node:tls") as Tls;
  const servername = literalOf(url) === undefined ? url.hostname : "";
  return () => tls.connect({ socket, servername });
}
