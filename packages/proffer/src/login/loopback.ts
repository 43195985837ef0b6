import { builtinModule } from "../support/run-time.ts";
import { LoginError } from "./discover.ts";
import type { Redirect } from "./options.ts";

/** The parts of `node:http` that this module uses: it is checked without the types of Node. */
interface Server {
  listen(port: number, host: string): void;
  address(): { readonly port: number };
  close(): void;
  closeAllConnections(): void;
  once(event: "listening" | "error", listener: (error?: Error & { code?: string }) => void): void;
}

interface Http {
  createServer(
    handle: (
      request: { url?: string },
      response: { writeHead(status: number, headers: object): typeof response; end(text: string): void },
    ) => void,
  ): Server;
}

const PAGE = "<!doctype html><title>Logged in</title><p>You can close this page and go back to the program.";

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  // The address of this page contains the code.
  "referrer-policy": "no-referrer",
  connection: "close",
};

/**
 * Receives the user on a port of this machine (RFC 8252, section 7.3). Only in Node, Bun and Deno.
 * @param show - shows the user a page of the authorization server, such as by opening it in the browser.
 * @param minutes - the time that the user has.
 *
 * @example
 * const client = await connect(url, { login: { redirect: receiveOnLoopback((page) => console.log(`Open ${page}`)) } });
 */
export function receiveOnLoopback(
  show: (page: string) => void | Promise<void>,
  minutes = 10,
): (lastUri: string | undefined) => Promise<Redirect> {
  return async (lastUri) => {
    const { createServer } = builtinModule("node:http") as Http;
    let reached: (url: string) => void = () => {};
    let expected: string | undefined;
    const server = createServer(({ url = "" }, response) => {
      const to = URL.canParse(url, origin) ? new URL(url, origin) : undefined;
      // Another page of the browser cannot end the login: it does not know the state.
      const isOurs = to?.pathname === PATH && expected !== undefined && to.searchParams.get("state") === expected;
      response.writeHead(isOurs ? 200 : 404, HEADERS).end(isOurs ? PAGE : "");
      if (isOurs) reached(to.href);
    });
    const last = lastUri === undefined ? 0 : Number(new URL(lastUri).port);
    const port = await listen(server, last).catch(() => listen(server, 0));
    const origin = `http://127.0.0.1:${port}`;
    return {
      uri: origin + PATH,
      async visit(page, signal) {
        expected = new URL(page).searchParams.get("state") ?? undefined;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const arrived = new Promise<string>((resolve, reject) => {
          reached = resolve;
          const late = () => reject(new LoginError(`nobody logged in within ${minutes} minutes`));
          timer = setTimeout(late, minutes * 60_000);
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
        try {
          await show(page);
          return await arrived;
        } finally {
          clearTimeout(timer);
        }
      },
      close() {
        server.close();
      },
    };
  };
}

const PATH = "/callback";

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(error));
    server.once("listening", () => resolve(server.address().port));
    server.listen(port, "127.0.0.1");
  });
}
