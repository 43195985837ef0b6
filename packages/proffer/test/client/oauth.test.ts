import { defineServer, defineTool } from "proffer";
import { connect, connectOver, linkUrl } from "proffer/client";
import { Login, type LoginOptions, MemoryStore, receiveOnLoopback } from "proffer/client/oauth";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AuthorizationServer, CLIENTS, REDIRECT, signIn } from "../oauth/authorization-server.ts";
import { openSite, type Site } from "../oauth/site.ts";
import { EVERY } from "../versions.ts";

const server = defineServer({
  name: "orders",
  version: "1.0.0",
  tools: [
    defineTool({ name: "find", scopes: ["orders:read"], handle: (_, ctx) => String(ctx.principal?.subject) }),
    defineTool({ name: "cancel", scopes: ["orders:write"], handle: () => "cancelled" }),
  ],
  log() {},
});

let issuer: AuthorizationServer;
let site: Site;

beforeAll(async () => {
  // A refresh token that is used twice ends all tokens of the user.
  issuer = await AuthorizationServer.open({ rotates: true });
  site = await openSite(server, issuer.issuer, ["orders:read"]);
});

afterAll(async () => {
  await site.close();
  await issuer.close();
});

let store: MemoryStore;
/** The pages of the authorization server that a user has seen. */
let pages: URL[];

beforeEach(() => {
  store = new MemoryStore();
  pages = [];
  issuer.requests.length = 0;
});

/** A user who signs in at once, with a browser that follows the redirect to this machine. */
const receive = (user = "ada") =>
  receiveOnLoopback(async (page) => {
    const url = new URL(page);
    pages.push(url);
    const uri = String(url.searchParams.get("redirect_uri"));
    const answer = await signIn(url, user, uri);
    const stranger = new URLSearchParams(answer);
    stranger.set("state", "guessed");
    expect((await fetch(`${uri}?${stranger}`)).status).toBe(404);
    const response = await fetch(`${uri}?${answer}`);
    expect(await response.text()).toContain("You can close this page");
  });

const withUser = (more: LoginOptions = {}): LoginOptions => ({ store, redirect: receive(), ...more });
const used = (path: string) => issuer.requests.filter((request) => request === path).length;
const textOf = ({ content }: { content: readonly object[] }) => (content[0] as { text: string }).text;

/** Changes what is stored, as time or another process does. */
const change = (changes: object) =>
  store.update(site.url, async (known) => ({ ...(known as NonNullable<typeof known>), ...changes }));

describe("a client that a server asks to log in", () => {
  it.each(EVERY)("registers, logs its user in and calls on %s", async (revision) => {
    await using client = await connect(site.url, { revision, login: withUser() });
    expect(textOf(await client.call("find"))).toBe("ada");
    const [page] = pages;
    expect(Object.fromEntries(page?.searchParams ?? [])).toMatchObject({
      response_type: "code",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      code_challenge_method: "S256",
      resource: site.url,
      scope: "orders:read offline_access",
    });
    expect([used("POST /reg"), used("POST /token"), pages.length]).toEqual([1, 1, 1]);
    const known = await store.get(site.url);
    expect(known).toMatchObject({ issuer: issuer.issuer, resource: site.url, reach: "loopback" });
  });

  it("stops the time limit of a request while its user logs in", async () => {
    const waits: boolean[] = [];
    const redirect: LoginOptions["redirect"] = async (lastUri) => {
      expect(waits).toEqual([true]);
      return receive()(lastUri);
    };
    const link = linkUrl(site.url, { login: { store, redirect } });
    await using _ = await connectOver((receiveText, events) =>
      link(receiveText, {
        ...events,
        waiting(id, isWaiting) {
          waits.push(isWaiting);
          events.waiting?.(id, isWaiting);
        },
      }),
    );
    expect([waits, pages.length]).toEqual([[true, false], 1]);
  });

  it("has no time limit while it waits", async () => {
    const answers = { supportedVersions: ["2026-07-28"], capabilities: {} };
    await using client = await connectOver(
      (receiveText, { waiting }) => ({
        send(text) {
          const { id } = JSON.parse(text);
          waiting?.(id, true);
          setTimeout(() => receiveText(JSON.stringify({ jsonrpc: "2.0", id, result: answers })), 100);
        },
        close() {},
      }),
      { timeout: 20 },
    );
    expect(client.revision).toBe("2026-07-28");
  });

  it("logs in once for all requests that were refused together, and not again", async () => {
    const one = { store, redirect: receive() };
    const clients = await Promise.all([1, 2, 3].map(() => connect(site.url, { login: one, revision: "2026-07-28" })));
    const calls = clients.map((client) => client.call("find"));
    expect((await Promise.all(calls)).map(textOf)).toEqual(["ada", "ada", "ada"]);
    await Promise.all(clients.map((client) => client.close()));
    issuer.requests.length = 0;
    await using later = await connect(site.url, { login: { store } });
    expect(textOf(await later.call("find"))).toBe("ada");
    expect(issuer.requests).toEqual([]);
  });

  it("refreshes once for several clients, although the refresh token works only once", async () => {
    await new Login(site.url, withUser()).logIn();
    await change({ accessToken: "expired" });
    issuer.requests.length = 0;
    const clients = await Promise.all([1, 2, 3].map(() => connect(site.url, { login: { store } })));
    expect(used("POST /token")).toBe(1);
    expect(textOf(await (clients[2] as (typeof clients)[0]).call("find"))).toBe("ada");
    await Promise.all(clients.map((client) => client.close()));
  });

  it("asks the user again after the refresh token has ended, as the client that it is", async () => {
    await new Login(site.url, withUser()).logIn();
    const before = await store.get(site.url);
    await change({ accessToken: "expired", refreshToken: "spent" });
    const error = await connect(site.url, { login: { store } }).catch((error: Error) => error);
    expect(error).toMatchObject({ name: "ConnectionError", kind: "status", status: 401 });
    expect(await store.get(site.url)).not.toHaveProperty("refreshToken");
    await using client = await connect(site.url, { login: withUser() });
    expect(textOf(await client.call("find"))).toBe("ada");
    expect((await store.get(site.url))?.client).toEqual(before?.client);
    expect(used("POST /reg")).toBe(1);
  });

  it("asks for more scopes where a tool needs them, and keeps those that it has", async () => {
    await using client = await connect(site.url, { login: withUser() });
    expect(textOf(await client.call("cancel"))).toBe("cancelled");
    const asked = pages.map((page) => page.searchParams.get("scope"));
    expect(asked).toEqual([
      "orders:read offline_access",
      expect.stringMatching(/^(?=.*orders:read)(?=.*orders:write)/),
    ]);
    expect(textOf(await client.call("find"))).toBe("ada");
    await using other = await connect(site.url, { login: { store } });
    expect(textOf(await other.call("cancel"))).toBe("cancelled");
  });

  it("does not repeat a call for ever that needs a scope nobody grants", async () => {
    /** Grants less than what was asked for. */
    const update: MemoryStore["update"] = (url, next) =>
      store.update(url, async (known) => {
        const { access_token } = await issuer.login("ada", url, CLIENTS.web, "orders:read");
        return { ...(await next(known)), accessToken: access_token } as never;
      });
    const login = { ...withUser(), store: { get: (url: string) => store.get(url), update } };
    await using client = await connect(site.url, { login });
    await expect(client.call("cancel")).rejects.toMatchObject({ code: -31001 });
    expect(pages.length).toBeLessThanOrEqual(4);
  });

  it("may be known already, or act for itself", async () => {
    const redirect = () => ({
      uri: REDIRECT,
      visit: async (page: string) => `${REDIRECT}?${await signIn(new URL(page), "bea")}`,
    });
    await using client = await connect(site.url, { login: { store, redirect, client: { id: CLIENTS.desktop } } });
    expect(textOf(await client.call("find"))).toBe("bea");
    const { clientId: id, clientSecret: secret } = issuer.introspection;
    const machine = { grant: "client_credentials", client: { id, secret } } as const;
    await using robot = await connect(site.url, { login: machine });
    expect(textOf(await robot.call("find"))).toBe("undefined");
    expect(used("POST /reg")).toBe(0);
    await expect(connect(site.url, { login: { ...machine, client: { id } } })).rejects.toThrow(
      `The login for ${site.url} failed: A client needs an id and a secret to log in by itself.`,
    );
  });

  it("gets the challenge if nobody can be asked, and if it sends its own token", async () => {
    const refused = expect.objectContaining({
      kind: "status",
      status: 401,
      challenge: expect.stringMatching(/^Bearer /),
    });
    await expect(connect(site.url)).rejects.toEqual(refused);
    await expect(connect(site.url, { login: {} })).rejects.toEqual(refused);
    const headers = { Authorization: "Bearer own" };
    await expect(connect(site.url, { headers, login: withUser() })).rejects.toEqual(refused);
    expect(pages).toEqual([]);
  });

  it("logs out, and its tokens end", async () => {
    const login = new Login(site.url, withUser());
    const known = await login.logIn();
    expect(await login.logOut()).toBe(true);
    expect(await login.logOut()).toBeUndefined();
    expect(await store.get(site.url)).toBeUndefined();
    const spent = {
      grant_type: "refresh_token",
      refresh_token: known?.refreshToken ?? "",
      client_id: known?.client.id ?? "",
    };
    await expect(issuer.token(spent)).rejects.toThrow("invalid_grant");
  });

  it("never shows its token to an observer or in what it throws", async () => {
    await new Login(site.url, withUser()).logIn();
    const { accessToken = "", refreshToken = "" } = (await store.get(site.url)) ?? {};
    const seen: unknown[] = [];
    const observer = { sent: (...all: unknown[]) => seen.push(all), received: (...all: unknown[]) => seen.push(all) };
    await using client = await connectOver(linkUrl(site.url, { observer, login: { store } }));
    expect(textOf(await client.call("find"))).toBe("ada");
    const text = JSON.stringify(seen);
    expect(seen.length).toBeGreaterThan(2);
    expect([accessToken, refreshToken].map((token) => text.includes(token))).toEqual([false, false]);
  });
});

afterEach(() => {
  for (const page of pages) expect(page.origin).toBe(issuer.issuer);
});
