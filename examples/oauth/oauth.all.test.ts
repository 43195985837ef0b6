import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../packages/proffer/test/dist.ts";
import { freePort } from "../../packages/proffer/test/free-port.ts";
import { type HttpProcess, serveOverHttp } from "../links.ts";

let desk: HttpProcess;
let env: { readonly [name: string]: string };

beforeAll(async () => {
  const [port, signIn] = [await freePort(), await freePort()];
  env = {
    SIGN_IN_PORT: String(signIn),
    ISSUER: `http://127.0.0.1:${signIn}`,
    RESOURCE: `http://127.0.0.1:${port}/mcp`,
  };
  const flags = [
    "--http",
    String(port),
    "--oauth-issuer",
    String(env.ISSUER),
    "--oauth-resource",
    String(env.RESOURCE),
  ];
  desk = await serveOverHttp(pathOf("server.ts"), env, [...flags, "--oauth-scopes", "orders:read"]);
});
afterAll(() => desk.close());

describe("the order desk", () => {
  it("says where to sign in", async () => {
    const { status, headers } = await fetch(desk.url, { method: "POST" });
    expect(status).toBe(401);
    const [, url = ""] = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "") ?? [];
    expect(await (await fetch(url)).json()).toMatchObject({ resource: desk.url, authorization_servers: [env.ISSUER] });
  });

  it("answers users who are signed in, refuses calls beyond their scopes, and writes an audit", async () => {
    const reader = await token("ada", "orders:read");
    expect(await call(reader, "whoAmI")).toContain('{"user":"ada","scopes":["orders:read"]}');
    expect(await call(reader, "findOrders")).toContain('"id":"A1"');
    expect(await call(reader, "cancelOrder", "id=A2")).toContain("This tools/call needs the scopes: orders:write.");
    const writer = await token("bob", "orders:read", "orders:write");
    expect(await call(writer, "cancelOrder", "id=A2")).toContain("Order A2 was shipped.");
    const forced = await call(writer, "cancelOrder", "id=A2", "force=true");
    expect(forced).toContain("needs the scopes: orders:write orders:admin.");
    const lines = desk.log().match(/^\{"time".*"name":"cancelOrder".*$/gm) ?? [];
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(["error", "tool_error", "error"]);
    expect(desk.log()).not.toContain(reader.slice(0, 40));
  });

  it("leads an official client through registration, login and step-up", async () => {
    const output = await run([pathOf("client.mjs"), "eve"]);
    expect(output).toContain("signed in, with the scopes: orders:read\n");
    expect(output).toContain("signed in, with the scopes: orders:read orders:write\n");
    expect(output).toContain('{"id":"A1","customer":"Lin","status":"canceled"}');
  });
});

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

async function token(user: string, ...scopes: string[]): Promise<string> {
  return (await run([pathOf("sign-in.mjs"), user, ...scopes])).trim();
}

function call(token: string, tool: string, ...args: string[]): Promise<string> {
  const flags = args.flatMap((arg) => ["--arg", arg]);
  return run([distFile("bin.js"), "call", desk.url, tool, ...flags, "--header", `Authorization: Bearer ${token}`]);
}

/** Runs a script and returns its output. */
async function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  await once(child, "close");
  return output;
}
