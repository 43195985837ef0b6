import type { IncomingHttpHeaders } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Target } from "../src/client/arguments.ts";
import { type HeaderFlags, toHeaders } from "../src/client/headers.ts";
import { WrongUsage } from "../src/terminal/command-error.ts";
import { type HostileHttp, sendJson, sendResult, startHostileHttp } from "./hostile-http.ts";
import { createProject, type Project } from "./project.ts";

const SECRET = "tok-4711-s3cr3t";

let project: Project;
let server: HostileHttp | undefined;

beforeAll(() => {
  project = createProject();
  project.write("tools.ts", "/** Says a word. */", 'export const say = () => "word";');
});

afterAll(() => project.remove());
afterEach(() => server?.close());

const proffer = (...args: string[]) => project.profferWith({ env: { TOKEN_OF_TEST: SECRET, EMPTY: " " } }, ...args);

/** Of initialize, and of tools/list. */
const RESULT = {
  protocolVersion: "2025-06-18",
  serverInfo: { name: "shop", version: "1.0.0" },
  capabilities: { tools: {} },
  tools: [],
};

describe("proffer list, call, read and prompt send headers", () => {
  it("with each request, also in an old revision with a session", async () => {
    const seen: IncomingHttpHeaders[] = [];
    server = await startHostileHttp((message, response, { headers }) => {
      seen.push(headers);
      if (message.id === undefined) response.writeHead(202).end();
      else sendResult(message, response.setHeader("mcp-session-id", "s"), RESULT);
    });
    const flags = ["--header", "X-Tenant:  a: b ", "--bearer-env", "TOKEN_OF_TEST", "--revision", "2025-06-18"];
    expect(await proffer("list", server.url, ...flags)).toMatchObject({ status: 0, stderr: "" });
    expect(seen.length).toBe(3);
    for (const headers of seen) {
      expect(headers).toMatchObject({ "x-tenant": "a: b", authorization: `Bearer ${SECRET}` });
    }
  });

  it("and hide their values when the server repeats them", async () => {
    server = await startHostileHttp(({ id }, response, { headers }) => {
      const message = `no access: ${headers.authorization} ${headers["x-plain"]}`;
      sendJson(response, { jsonrpc: "2.0", id, error: { code: -1, message, data: [SECRET] } });
    });
    const flags = ["--header", `Authorization: Bearer ${SECRET}`, "--header", "x-plain: plain-value-1"];
    for (const words of [["list"], ["read", "a://b"]]) {
      const [command = "", ...rest] = words;
      const { status, stdout, stderr } = await proffer(command, server.url, ...rest, ...flags);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toContain("no access: ");
      expect(stderr).not.toContain(SECRET);
      expect(stderr).not.toContain("plain-value-1");
    }
  });

  it("but not to another origin", async () => {
    const other = await startHostileHttp((_, response) => response.end());
    server = await startHostileHttp((_, response) => response.writeHead(307, { location: other.url }).end());
    const { status, stderr } = await proffer("call", server.url, "x", "--bearer-env", "TOKEN_OF_TEST");
    other.close();
    expect({ status, received: other.received }).toEqual({ status: 1, received: [] });
    expect(stderr).toContain("another origin");
  });
});

describe("proffer refuses", () => {
  const url: Target = { kind: "url", url: "http://127.0.0.1:9/mcp" };
  const module: Target = { kind: "module", file: "tools.ts" };

  it.each<[string, Target, HeaderFlags, string]>([
    ["a header without a colon", url, { header: [SECRET] }, "Write --header 'name: value'."],
    ["an invalid name", url, { header: [`Bearer ${SECRET}: x`] }, "--header has an invalid name."],
    ["a newline", url, { header: [`a: ${SECRET}\r\nb: c`] }, "The value of the header a contains a line break."],
    ["a header without a value", url, { header: ["a: "] }, "The value of the header a is empty."],
    ["a value that is not ASCII", url, { header: [`a: ${SECRET}é`] }, "outside of printable ASCII"],
    ["a header twice", url, { header: ["a: 1", "A: 2"] }, "--header has the header a twice."],
    ["a header of the protocol", url, { header: ["Mcp-Session-Id: 1"] }, "cannot set mcp-session-id"],
    ["the header Host", url, { header: ["Host: evil.example"] }, "cannot set host"],
    ["the header Content-Length", url, { header: ["Content-Length: 1"] }, "cannot set content-length"],
    ["a header that repeats an argument", url, { header: ["Mcp-Param-Id: 1"] }, "cannot set mcp-param-id"],
    ["a variable that is not set", url, { bearerEnv: "ABSENT" }, "variable ABSENT is not set or empty."],
    ["a token with a newline", url, { bearerEnv: "BROKEN" }, "variable BROKEN contains a line break."],
    ["two tokens", url, { bearerEnv: "BROKEN", header: ["authorization: x"] }, "contradict each other"],
    ["a header for a module", module, { header: ["a: 1"] }, "--header requires the URL of a server."],
    ["a token for a module", module, { bearerEnv: "FINE" }, "--bearer-env requires the URL of a server."],
  ])("%s", (_, target, flags, message) => {
    vi.stubEnv("BROKEN", `${SECRET}\nx`);
    vi.stubEnv("FINE", SECRET);
    const error = catchError(() => toHeaders(flags, target));
    expect(error).toBeInstanceOf(WrongUsage);
    expect(error).toHaveProperty("message", expect.stringContaining(message));
    expect(String(error)).not.toContain(SECRET);
    vi.unstubAllEnvs();
  });

  it("with exit code 2", async () => {
    const { status, stdout, stderr } = await proffer("list", "tools.ts", "--bearer-env", "EMPTY");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe("error: --bearer-env: the environment variable EMPTY is not set or empty.\n");
  });
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
