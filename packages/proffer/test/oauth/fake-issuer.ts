import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The URL of the protected server, as its clients write it. */
export const RESOURCE = "https://tools.example.com/mcp";

export const KEYS_PATH = "/keys";

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface KeyPair {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function createKey(kid: string, type: "ec" | "rsa" = "ec"): KeyPair {
  const pair =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { kid, ...pair };
}

export function toJwk({ kid, publicKey }: KeyPair): object {
  return { ...publicKey.export({ format: "jwk" }), kid, use: "sig" };
}

/** Writes a token in compact form, with any header and payload, and signs it by `alg`. */
export function forge(header: object, payload: object | string, key: KeyObject | string): string {
  const { alg = "" } = header as { alg?: string };
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const input = [JSON.stringify(header), text].map((part) => Buffer.from(part).toString("base64url")).join(".");
  return `${input}.${signatureOf(alg, input, key).toString("base64url")}`;
}

function signatureOf(alg: string, input: string, key: KeyObject | string): Buffer {
  const digest = `sha${alg.slice(2)}`;
  if (typeof key === "string") return createHmac("sha256", key).update(input).digest();
  if (alg.startsWith("ES")) return sign(digest, Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
  return alg.startsWith("RS") ? sign(digest, Buffer.from(input), key) : Buffer.alloc(0);
}

/** An authorization server that only publishes metadata and keys. Its responses can be replaced. */
export class FakeIssuer {
  readonly url: string;
  /** The paths of all requests. */
  readonly requests: string[] = [];
  readonly routes = new Map<string, Respond>();
  /** The published keys; tokens are signed with the last one. */
  keys = [createKey("first")];
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const metadata = () => ({ issuer: this.url, jwks_uri: this.url + KEYS_PATH });
    this.route("/.well-known/oauth-authorization-server", json(metadata));
    this.route(
      KEYS_PATH,
      json(() => ({ keys: this.keys.map(toJwk) })),
    );
    server.on("request", (request, response) => {
      this.requests.push(request.url ?? "");
      // A busy machine would use a kept connection after this server has closed it.
      response.setHeader("connection", "close");
      const respond = this.routes.get(request.url ?? "");
      if (respond === undefined) response.writeHead(404).end();
      else respond(request, response);
    });
  }

  static async open(): Promise<FakeIssuer> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new FakeIssuer(server);
  }

  route(path: string, respond: Respond): void {
    this.routes.set(path, respond);
  }

  /** The requests for keys. */
  get fetches(): number {
    return this.requests.filter((path) => path === KEYS_PATH).length;
  }

  claims(changes: object = {}, now = Date.now()): Record<string, unknown> {
    const seconds = Math.floor(now / 1000);
    // In the past, because the clock of a test stands still while a busy machine creates the token.
    const times = { iat: seconds - 600, exp: seconds + 600 };
    const granted = { sub: "ada", client_id: "web", scope: "orders:read" };
    return { iss: this.url, aud: RESOURCE, ...granted, ...times, jti: randomUUID(), ...changes };
  }

  /** Signs a token with these changes to the default claims and header. */
  token(claims: object | string = {}, header: object = {}, key = this.keys.at(-1) as KeyPair): string {
    const payload = typeof claims === "string" ? claims : this.claims(claims);
    return forge({ alg: "ES256", typ: "at+jwt", kid: key.kid, ...header }, payload, key.privateKey);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function json(value: () => object): Respond {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value()));
  };
}
