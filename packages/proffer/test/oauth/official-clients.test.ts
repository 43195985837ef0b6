import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { defineServer, defineTool } from "proffer";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AuthorizationServer, CLIENTS, REDIRECT, SCOPES, signIn, type TokenSet } from "./authorization-server.ts";
import { openSite, type Site } from "./site.ts";

const INFO = { name: "tour", version: "1.0.0" };
const server = defineServer({
  name: "orders",
  version: "1.0.0",
  tools: [
    defineTool({ name: "find", scopes: ["orders:read"], handle: (_, ctx) => String(ctx.principal?.subject) }),
    defineTool({ name: "cancel", scopes: ["orders:write"], handle: () => "cancelled" }),
  ],
  log() {},
});

/** Remembers as an application of the user must, for both generations of clients. */
class Wallet {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "Tour",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  stored: TokenSet | undefined;
  /** Where the user has to sign in. */
  page: URL | undefined;
  client: object | undefined;
  #verifier = "";
  #discovered: unknown;

  constructor(client?: string) {
    this.client = client === undefined ? undefined : { client_id: client };
  }

  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: object) {
    this.client = client;
  }
  tokens() {
    return this.stored;
  }
  saveTokens(tokens: TokenSet) {
    this.stored = tokens;
  }
  redirectToAuthorization(page: URL) {
    this.page = page;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveDiscoveryState(state: unknown) {
    this.#discovered = state;
  }
  discoveryState() {
    return this.#discovered;
  }
}

interface Connection {
  connect(): Promise<void>;
  /** Passes on the browser's redirect after the user has signed in. */
  finish(answer: URLSearchParams): Promise<void>;
  call(name: string): Promise<string | undefined>;
  close(): Promise<void>;
}

type Open = (url: URL, wallet: Wallet) => Connection;

const openVersion1: Open = (url, wallet) => {
  const client = new Client1(INFO);
  const transport = new Transport1(url, { authProvider: wallet as never });
  return {
    connect: () => client.connect(transport as never),
    finish: (answer) => transport.finishAuth(answer.get("code") ?? ""),
    call: async (name) => textOf(await client.callTool({ name })),
    close: () => client.close(),
  };
};

const openVersion2 =
  (mode: "legacy" | { pin: string }): Open =>
  (url, wallet) => {
    const client = new Client2(INFO, { versionNegotiation: { mode } });
    const transport = new Transport2(url, { authProvider: wallet as never });
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer),
      call: async (name) => textOf(await client.callTool({ name })),
      close: () => client.close(),
    };
  };

function textOf(result: object): string | undefined {
  return (result as { content: { text?: string }[] }).content[0]?.text;
}

let issuer: AuthorizationServer;
/** The same without refresh tokens: with one, the older client never asks for more scopes. */
let stubborn: AuthorizationServer;
const sites: Site[] = [];
const open: Connection[] = [];

beforeAll(async () => {
  issuer = await AuthorizationServer.open();
  stubborn = await AuthorizationServer.open({ refreshes: false });
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
  for (const site of sites.splice(0)) await site.close();
});
afterAll(async () => {
  await issuer.close();
  await stubborn.close();
});

async function serve(by = issuer): Promise<URL> {
  const site = await openSite(server, by.issuer, ["orders:read"]);
  sites.push(site);
  return new URL(site.url);
}

/** The clients, and whether they ask for more scopes although they have a refresh token. */
const KINDS: [string, Open, boolean][] = [
  ["@modelcontextprotocol/sdk 1.32.2 on 2025-11-25", openVersion1, false],
  ["@modelcontextprotocol/client 2.4.0 on 2025-11-25", openVersion2("legacy"), true],
  ["@modelcontextprotocol/client 2.4.0 on 2026-07-28", openVersion2({ pin: "2026-07-28" }), true],
];

describe.each(KINDS)("the official client %s", (_name, start, stepsUpAlways) => {
  function connection(url: URL, wallet: Wallet): Connection {
    const opened = start(url, wallet);
    open.push(opened);
    return opened;
  }

  /** Connects without a token, signs in, and connects again. */
  async function signInto(url: URL, wallet: Wallet): Promise<Connection> {
    const first = connection(url, wallet);
    await expect(first.connect()).rejects.toThrow(/Unauthorized/);
    await first.finish(await signIn(wallet.page as URL, "ada"));
    const second = connection(url, wallet);
    await second.connect();
    return second;
  }

  it("finds the authorization server, registers, signs in and calls", async () => {
    const url = await serve();
    const wallet = new Wallet();
    const before = issuer.requests.length;
    const { call } = await signInto(url, wallet);
    expect(await call("find")).toBe("ada");
    expect(issuer.requests.slice(before)).toContain("POST /reg");
    expect(wallet.client).toMatchObject({ client_id: expect.any(String) });
    const { searchParams } = wallet.page as URL;
    expect(searchParams.get("resource")).toBe(url.href);
    expect(searchParams.get("scope")?.split(" ")).toContain("orders:read");
    expect(searchParams.get("code_challenge_method")).toBe("S256");
  });

  it("refreshes a token that is no longer valid, and the session goes on", async () => {
    const wallet = new Wallet(CLIENTS.web);
    const { call } = await signInto(await serve(), wallet);
    wallet.page = undefined;
    wallet.stored = { ...(wallet.stored as TokenSet), access_token: "expired" };
    expect(await call("find")).toBe("ada");
    expect(wallet.stored?.access_token).not.toBe("expired");
    expect(wallet.page).toBeUndefined();
  });

  it("asks for more scopes when a tool needs them, and keeps those that it had", async () => {
    for (const by of stepsUpAlways ? [stubborn, issuer] : [stubborn]) {
      const wallet = new Wallet(CLIENTS.web);
      const { call, finish } = await signInto(await serve(by), wallet);
      expect(wallet.stored?.scope?.split(" ")).not.toContain("orders:write");
      await expect(call("cancel")).rejects.toThrow(/Unauthorized/);
      expect(wallet.page?.searchParams.get("scope")?.split(" ")).toEqual(expect.arrayContaining(SCOPES.split(" ")));
      await finish(await signIn(wallet.page as URL, "ada"));
      expect(await call("cancel")).toBe("cancelled");
      expect(await call("find")).toBe("ada");
    }
  });

  it("must sign in again if its token is for another server", async () => {
    const wallet = new Wallet(CLIENTS.web);
    wallet.stored = await stubborn.login("ada", "https://tools.example.com/other");
    const { connect } = connection(await serve(stubborn), wallet);
    await expect(connect()).rejects.toThrow(/Unauthorized/);
    expect(wallet.page).toBeDefined();
  });
});
