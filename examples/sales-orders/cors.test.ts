import { type HttpService, serveHttp, unauthorized } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineDemo } from "./demo.ts";

const OWN = "https://shop.example.com";
const FOREIGN = "https://evil.example";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

let service: HttpService;

beforeAll(async () => {
  const demo = { server: defineDemo(), sessions: false, allowedOrigins: ["https://*.example.com"] } as const;
  service = await serveHttp(
    {
      "/area/off": { ...demo, cors: "off" },
      "/area/check": { ...demo, cors: "check" },
      "/area/enforce": { ...demo, cors: "enforce" },
      "/area/locked": {
        ...demo,
        authenticate: (request) =>
          request.header("authorization") === "Bearer clerk" ? { id: "clerk" } : unauthorized(),
      },
    },
    { port: 0 },
  );
});

afterAll(() => service.close());

function send(server: string, method: string, headers: Record<string, string>): Promise<Response> {
  const accepted = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return fetch(`http://127.0.0.1:${service.port}/area/${server}`, {
    method,
    headers: { ...accepted, ...headers },
    ...(method === "POST" && { body: JSON.stringify(PING) }),
  });
}

const post = (server: string, headers: Record<string, string> = {}) => send(server, "POST", headers);

describe.each([
  { cors: "off", without: 200, own: 200, told: null },
  { cors: "check", without: 200, own: 200, told: OWN },
  { cors: "enforce", without: 400, own: 200, told: OWN },
])("with cors: $cors", ({ cors, without, own, told }) => {
  it(`a client without an Origin gets ${without}`, async () => {
    expect((await post(cors)).status).toBe(without);
  });

  it(`a page of an allowed origin gets ${own}, and may ${told ? "" : "not "}read the response`, async () => {
    const response = await post(cors, { origin: OWN });
    expect(response.status).toBe(own);
    expect(response.headers.get("access-control-allow-origin")).toBe(told);
  });

  it.each([FOREIGN, "https://example.com.evil.example", "http://shop.example.com", "https://example.com", "null"])(
    "a page of %s gets 403 and no CORS headers",
    async (origin) => {
      const response = await post(cors, { origin });
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it("a preflight request is answered according to the mode", async () => {
    const asking = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
    const response = await send(cors, "OPTIONS", { ...asking, origin: OWN });
    expect(response.headers.get("access-control-allow-origin")).toBe(told);
    expect(response.headers.get("access-control-allow-methods")?.includes("POST") ?? null).toBe(told && true);
    expect(response.headers.get("access-control-allow-headers")?.includes("content-type") ?? null).toBe(told && true);
    expect((await send(cors, "OPTIONS", { ...asking, origin: FOREIGN })).status).toBe(403);
  });
});

it("an unknown CORS mode is rejected when the server starts", async () => {
  const wrong = serveHttp(defineDemo(), { port: 0, cors: "ignore" as never });
  await expect(wrong).rejects.toThrow('cors must be "off", "check" or "enforce", not ignore.');
});

it("each server of a host can have its own authentication", async () => {
  expect((await post("locked")).status).toBe(401);
  expect((await post("locked", { authorization: "Bearer clerk" })).status).toBe(200);
});
