import { defineResource, defineServer } from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { oauth } from "proffer/oauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEvents } from "../http/event-client.ts";
import { type Headers, legacy, modern, openSession, post, postModern, send } from "../http/http-client.ts";
import { openWorkshop } from "../http/workshop.ts";
import { AuthorizationServer, CLIENTS, type TokenSet } from "./authorization-server.ts";

const A = "https://tools.example.com/a/mcp";
const B = "https://tools.example.com/b/mcp";
const OPAQUE = "https://tools.example.com/opaque/mcp";

const workshop = openWorkshop();
const rows = ["1", "2", "3"].map((id) => ({ uri: `note://${id}` }));
const notes = defineServer({
  name: "notes",
  version: "1",
  pageSize: 1,
  log() {},
  resources: [defineResource({ uri: "note://{id}", name: "note", list: () => rows, read: ({ id }) => id })],
});

let issuer: AuthorizationServer;
let service: HttpService;
let ada: TokenSet;
let bob: TokenSet;
let elsewhere: TokenSet;

beforeAll(async () => {
  issuer = await AuthorizationServer.open({ isOpaque: (resource) => resource === OPAQUE });
  const protect = (resource: string) => oauth({ issuer: issuer.issuer, resource });
  service = await serveHttp(
    {
      "/a/mcp": { server: workshop.server, authenticate: protect(A) },
      "/b/mcp": { server: notes, authenticate: protect(B) },
      "/opaque/mcp": {
        server: workshop.server,
        authenticate: oauth({ issuer: issuer.issuer, resource: OPAQUE, introspection: issuer.introspection }),
      },
    },
    { port: 0 },
  );
  [ada, bob, elsewhere] = await Promise.all([
    issuer.login("ada", A),
    issuer.login("bob", A),
    issuer.login("ada", A, CLIENTS.desktop),
  ]);
});
afterAll(async () => {
  workshop.release();
  await service.close();
  await issuer.close();
});

const url = (path: string) => service.urls[path] as string;
const as = ({ access_token }: Pick<TokenSet, "access_token">): Headers => ({ authorization: `Bearer ${access_token}` });
const whoami = modern("tools/call", { name: "whoami", arguments: {} });

async function idOf(token: TokenSet): Promise<unknown[]> {
  const { json } = await postModern(url("/a/mcp"), whoami, as(token));
  return JSON.parse(json.result.content[0].text);
}

describe("a token of a real authorization server", () => {
  it("identifies the user and the client", async () => {
    expect(await idOf(ada)).toEqual([issuer.issuer, "ada", "web"]);
    expect(await idOf(bob)).toEqual([issuer.issuer, "bob", "web"]);
    expect(await idOf(elsewhere)).toEqual([issuer.issuer, "ada", "desktop"]);
  });

  it("is not accepted by another server of the same host", async () => {
    expect((await postModern(url("/b/mcp"), modern("resources/list"), as(ada))).status).toBe(401);
    const other = await issuer.login("ada", B);
    expect((await postModern(url("/b/mcp"), modern("resources/list"), as(other))).status).toBe(200);
    expect((await postModern(url("/a/mcp"), whoami, as(other))).status).toBe(401);
  });

  it("is an access token: no ID token, refresh token or code", async () => {
    const { code } = await issuer.authorize("ada", A, CLIENTS.web, "orders:read");
    const { id_token = "", refresh_token = "" } = ada;
    for (const access_token of [id_token, refresh_token, code]) {
      expect(access_token).not.toBe("");
      for (const path of ["/a/mcp", "/opaque/mcp"]) {
        expect((await postModern(url(path), whoami, as({ access_token }))).status).toBe(401);
      }
    }
  });

  it("may be opaque, and revoked", async () => {
    const tokens = await issuer.login("ada", OPAQUE);
    expect(tokens.access_token).not.toContain(".");
    const before = issuer.requests.length;
    for (let round = 0; round < 3; round++) {
      const { json } = await postModern(url("/opaque/mcp"), whoami, as(tokens));
      expect(JSON.parse(json.result.content[0].text)).toEqual([issuer.issuer, "ada", "web"]);
    }
    const asked = () => issuer.requests.slice(before).filter((each) => each === "POST /token/introspection");
    expect(asked()).toHaveLength(1);
    const other = await issuer.login("bob", OPAQUE);
    await issuer.revoke(other.access_token);
    expect((await postModern(url("/opaque/mcp"), whoami, as(other))).status).toBe(401);
    const forA = await issuer.login("ada", A);
    expect((await postModern(url("/opaque/mcp"), whoami, as(forA))).status).toBe(401);
  });
});

describe("a session", () => {
  it("of the user ada is not that of the client ada", async () => {
    const session = await openSession(url("/a/mcp"), undefined, as(ada));
    const robot = await issuer.machine(A);
    expect(await idOf(robot)).toEqual([issuer.issuer, null, "ada"]);
    expect((await post(url("/a/mcp"), legacy("ping"), { ...session, ...as(robot) })).status).toBe(404);
    expect((await post(url("/a/mcp"), legacy("ping"), session)).status).toBe(200);
  });

  it("and a cursor and a state belong to the client, too", async () => {
    const session = await openSession(url("/a/mcp"), undefined, as(ada));
    expect((await post(url("/a/mcp"), legacy("ping"), { ...session, ...as(elsewhere) })).status).toBe(404);
    const ask = modern("tools/call", { name: "ask", arguments: {} }, { elicitation: { form: {} } });
    const { requestState } = (await postModern(url("/a/mcp"), ask, as(ada))).json.result;
    const inputResponses = { question_1: { action: "accept", content: { name: "Ada" } } };
    const resume = { ...ask, params: { ...ask.params, requestState, inputResponses } };
    expect((await postModern(url("/a/mcp"), resume, as(elsewhere))).json.error.code).toBe(-32602);
    const [own, other] = await Promise.all([issuer.login("ada", B), issuer.login("ada", B, CLIENTS.desktop)]);
    const { nextCursor } = (await postModern(url("/b/mcp"), modern("resources/list"), as(own))).json.result;
    const next = modern("resources/list", { cursor: nextCursor });
    expect((await postModern(url("/b/mcp"), next, as(other))).json.error.code).toBe(-32602);
    expect((await postModern(url("/b/mcp"), next, as(own))).json.result.resources).toEqual([
      expect.objectContaining({ uri: "note://2" }),
    ]);
  });

  it("and a question go on with a refreshed token", async () => {
    const session = await openSession(url("/a/mcp"), undefined, as(ada), { elicitation: {} });
    const ask = legacy("tools/call", { name: "ask", arguments: {} }, 7);
    const events = await openEvents(url("/a/mcp"), { headers: session, message: ask });
    const { id } = await events.message(({ method }) => method === "elicitation/create");
    const refreshed = await issuer.refresh(ada.refresh_token);
    expect(refreshed.access_token).not.toBe(ada.access_token);
    const answer = { jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await post(url("/a/mcp"), answer, { ...session, ...as(refreshed) })).status).toBe(202);
    expect(await events.message((message) => message.id === 7)).toMatchObject({
      result: { content: [{ text: "Hello, Ada!" }] },
    });
  });

  it("cannot be continued without its owner's token, and its stream stays open", async () => {
    const session = await openSession(url("/a/mcp"), undefined, as(ada));
    const stream = await openEvents(url("/a/mcp"), { headers: session });
    const foreign: [Headers, number][] = [
      [{ ...session, authorization: undefined }, 401],
      [{ ...session, authorization: `Bearer ${ada.access_token}x` }, 401],
      [{ ...session, ...as(bob) }, 404],
    ];
    for (const [headers, status] of foreign) {
      expect((await post(url("/a/mcp"), legacy("ping"), headers)).status).toBe(status);
      const accept = { accept: "text/event-stream", ...headers };
      expect((await send(url("/a/mcp"), { headers: accept })).status).toBe(status);
      expect((await send(url("/a/mcp"), { headers: { ...accept, "last-event-id": "1-0" } })).status).toBe(status);
      expect((await send(url("/a/mcp"), { method: "DELETE", headers })).status).toBe(status);
    }
    expect((await post(url("/a/mcp"), legacy("ping"), session)).status).toBe(200);
    expect(stream.response.destroyed).toBe(false);
    stream.close();
  });
});
