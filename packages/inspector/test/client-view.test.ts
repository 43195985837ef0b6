import { describe, expect, test } from "vitest";
import { linkServer } from "../../cli/src/inspect/server-links.ts";
import { recordClients } from "../../cli/src/recordings/lanes.ts";
import { inspect } from "./page-client.ts";
import { createShop } from "./shop.ts";

describe("the request of the page", () => {
  /** An inspector that watches a client which introduces itself. */
  async function watching(introduction: { readonly name?: string; readonly revision?: string }) {
    const { page, record, close } = await inspect({ links: linkServer(createShop()) });
    const { name, revision } = introduction;
    recordClients(record).onClientMessage({
      conn: "client-1",
      dir: "out",
      text: "{}",
      transport: "http",
      ...(name !== undefined && { client: { name } }),
      ...(revision !== undefined && { revision }),
      capabilities: { elicitation: 7, experimental: { "\u202e": { deep: [[[[null]]]] } } },
    });
    return { page, record, close };
  }

  test("asks under the name and with the capabilities of the client, in a lane that it closes", async () => {
    const { page, record, close } = await watching({ name: "<b>\u202e", revision: "2025-06-18" });
    const { capabilities, revision, items } = await page.post("client", { conn: "client-1" });
    expect([revision, capabilities]).toEqual([
      "2025-06-18",
      { elicitation: 7, experimental: { "\u202e": { deep: [[[[null]]]] } } },
    ]);
    expect(items.map(({ key }) => key)).toContain("order");
    const lane = [...record.lanes()].find(({ name }) => name === "as <b>\u202e");
    expect(lane).toMatchObject({ role: "page", open: false });
    const [first] = [...record.messages()].filter(({ conn }) => conn === lane?.conn);
    expect(JSON.parse(first?.text ?? "").params).toMatchObject({ capabilities, clientInfo: { name: "<b>\u202e" } });
    await close();
  });

  test("uses the newest revision for a client that has not named one", async () => {
    const { page, close } = await watching({});
    expect((await page.post("client", { conn: "client-1" })).revision).toBe("2026-07-28");
    await close();
  });

  test("refuses revisions that nobody knows, and lanes that are not of clients", async () => {
    const { page, record, close } = await watching({ name: "x", revision: "tomorrow" });
    await expect(page.post("client", { conn: "client-1" })).rejects.toThrow("does not know the revision tomorrow");
    const own = [...record.lanes()].find(({ role }) => role === "page")?.conn ?? "";
    await expect(page.post("client", { conn: own })).rejects.toThrow("does not know this client");
    await close();
  });
});
