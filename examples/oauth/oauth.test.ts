import { load } from "@proffer/cli";
import { connect } from "proffer/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { freePort } from "../../packages/proffer/test/free-port.ts";

it("the order desk lets a principal read, refuses a change without its scope, and writes an audit", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const printed = vi.spyOn(console, "error").mockReturnValue();
  // The authorization server warns that it is not for production.
  vi.spyOn(console, "warn").mockReturnValue();
  process.env.SIGN_IN_PORT = String(await freePort());
  const server = await load(new URL("./server.ts", import.meta.url));
  const client = await connect(server, { principal: { id: "ada", subject: "ada", scopes: ["orders:read"] } });
  expect((await client.call("whoAmI")).structuredContent).toEqual({ user: "ada", scopes: ["orders:read"] });
  expect((await client.call("findOrders", { customer: "Lin" })).content).toEqual([
    { type: "text", text: expect.stringContaining('"id":"A1"') },
  ]);
  await expect(client.call("cancelOrder", { id: "A1" })).rejects.toThrow("needs the scopes: orders:write.");
  await client.close();
  const lines = printed.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith("{"));
  expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(["ok", "ok", "error"]);
});
