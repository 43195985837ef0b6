import { createHash } from "node:crypto";
import { apiKeys } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

/** The caller that `apiKeys` with this configuration finds for a key. */
function callerOf(key: string, keys: Parameters<typeof apiKeys>[0]["keys"]): unknown {
  const header = () => `Bearer ${key}`;
  return apiKeys({ keys }).authenticate({
    ...{ method: "POST", path: "/mcp", query: "", address: undefined, raw: undefined },
    header,
  });
}

describe("proffer key", () => {
  it("prints a key, its digest and the line for apiKeys", async () => {
    const { status, stdout, stderr } = await project.proffer(
      "key",
      "--name",
      'c"i',
      "--scopes",
      " orders:read  orders:write",
    );
    expect(status).toBe(0);
    const [, key = "", digest = "", line = ""] = /^key: +(\S+)\ndigest: (\S+)\nline: +(.*)\n$/.exec(stdout) ?? [];
    expect(key).toMatch(/^pfr_[\w-]{43}$/);
    expect(digest).toBe(`sha256:${createHash("sha256").update(key).digest("hex")}`);
    expect(stderr).toContain("not shown again");
    expect(stderr).not.toContain(key);
    const keys = new Function(`return { ${line} }`)();
    expect(callerOf(key, keys)).toEqual({ id: 'c"i', scopes: ["orders:read", "orders:write"] });
  });

  it("prints a different key each time, as JSON", async () => {
    const key = async () => JSON.parse((await project.proffer("key", "--json")).stdout);
    const [first, second] = [await key(), await key()];
    expect(first.key).not.toBe(second.key);
    expect(first.caller).toEqual({ id: `key-${first.digest.slice(7, 15)}` });
    expect(callerOf(first.key, { [first.digest]: first.caller, [second.digest]: second.caller })).toEqual(first.caller);
  });

  it.each([
    [["--name", ""], "--name must not be empty."],
    [["--scopes", 'a"b'], 'Invalid scope "a\\"b"'],
    [["--scope", "a"], "unknown option"],
    [["ci"], "too many arguments"],
  ])("exits with 2 for %j", async (args, message) => {
    const { status, stdout, stderr } = await project.proffer("key", ...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});
