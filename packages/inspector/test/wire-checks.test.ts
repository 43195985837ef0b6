import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type Inspector, startInspector } from "../src/inspector.ts";
import type { WireMessage } from "../src/protocol/wire.ts";
import { findDuplicateKey } from "../src/wire-checks/duplicate-key.ts";
import { WireChecks } from "../src/wire-checks/wire-checks.ts";
import { accessibilityViolations, describeInBrowser, usePages } from "./browser.ts";
import { openForeignLinks } from "./foreign-link.ts";
import { createTestHost } from "./test-host.ts";

const SCHEMA = '{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}';
const TOOLS = ["sell", "give", "break", "lose"].map(
  (name) => `{"name":"${name}","description":"Sells goods.","inputSchema":{"type":"object"},"outputSchema":${SCHEMA}}`,
);
const TEXT = '"content":[{"type":"text","text":"7"}]';
const RESULTS: { readonly [tool: string]: string } = {
  sell: `{"resultType":"complete",${TEXT},"structuredContent":{"total":"seven"}}`,
  give: '{"resultType":"complete","content":[],"structuredContent":{"total":7}}',
  break: '{"jsonrpc":"2.0","id":ID,"error":{"code":-32500,"message":"broken"}}',
  lose: `{"resultType":"complete",${TEXT},"structuredContent":{"total":7,"total":8}}`,
};

function openFaulty() {
  return openForeignLinks({
    "server/discover": () =>
      '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"faulty","version":"1"}}',
    "tools/list": () => `{"tools":[${TOOLS}]}`,
    "tools/call": ({ name = "" }) => RESULTS[name] ?? "{}",
  });
}

describe("duplicate keys", () => {
  test("are found in any object, however they are written", () => {
    for (const text of ['{"a":1,"a":2}', '[{"b":{"a":1, "\\u0061" : 2}}]', '{"x":[{"a":"}"},{"a":"\\"{","a":[]}]}']) {
      expect([text, findDuplicateKey(text)]).toEqual([text, "a"]);
    }
  });

  test("no other JSON has any, and no text does harm", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => findDuplicateKey(JSON.stringify(value, null, 1)) === undefined));
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          JSON.parse(text);
        } catch {
          return true;
        }
        return findDuplicateKey(text) === undefined;
      }),
    );
  });
});

describe("checks of messages", () => {
  const message = (n: number, change: Partial<WireMessage>): WireMessage => {
    return { n, at: 0, conn: "c1", dir: "in", kind: "result", bytes: 0, revision: "2026-07-28", text: "", ...change };
  };

  test("are bounded, tell each finding once, and begin anew", () => {
    let changes = 0;
    const checks = new WireChecks(
      () => undefined,
      () => changes++,
    );
    for (let n = 1; n <= 200; n++) {
      checks.look(message(n, { method: `m${n % 80}`, text: `{"id":${n},"result":{}}` }));
    }
    expect([checks.findings().length, changes]).toEqual([50, 50]);
    expect(checks.findings()[0]).toMatchObject({ line: 1, message: "The result of m1 has no resultType." });
    checks.clear();
    expect(checks.findings()).toEqual([]);
    for (const text of ["", "{", "null", '{"result":null}', '{"error":[]}', "x".repeat(2_000_000)]) {
      checks.look(message(1, { text }));
    }
    checks.look(message(2, { dir: "out", text: '{"a":1,"a":2}' }));
    expect(checks.findings()).toEqual([]);
  });

  test("codes that servers may choose are no finding; others of the reserved range, and no numbers, are", () => {
    const checks = new WireChecks(
      () => undefined,
      () => {},
    );
    for (const code of [-32602, -32700, -32042, -32000, -31000, 1, 404]) {
      checks.look(message(code, { kind: "error", text: `{"id":1,"error":{"code":${code}}}` }));
    }
    expect(checks.findings()).toEqual([]);
    for (const code of ["-32500", '"E_FAIL"', "1.5", "null"]) {
      checks.look(message(1, { kind: "error", text: `{"id":1,"error":{"code":${code}}}` }));
    }
    expect(checks.findings().map(({ message }) => /code (\S+),/.exec(message)?.[1])).toEqual([
      "-32500",
      '"E_FAIL"',
      "1.5",
      "null",
    ]);
  });

  test("older revisions have no resultType", () => {
    const checks = new WireChecks(
      () => undefined,
      () => {},
    );
    checks.look(message(1, { revision: "2025-11-25", method: "tools/list", text: '{"id":1,"result":{"tools":[]}}' }));
    expect(checks.findings()).toEqual([]);
  });
});

describeInBrowser("findings about a server of others", () => {
  const started: Inspector[] = [];
  const pages = usePages();
  afterAll(() => Promise.all(started.map((inspector) => inspector.close())));

  for (const colorScheme of ["light", "dark"] as const) {
    test(`are at the items and lead to the messages, ${colorScheme}`, async () => {
      const host = createTestHost({ target: { kind: "command", name: "faulty" }, links: openFaulty() });
      const inspector = await startInspector(host, 0);
      started.push(inspector);
      await inspector.started;
      const { origin, hash } = new URL(inspector.url);
      const page = await pages.open(`${origin}/tools/sell?side=doctor${hash}`, { colorScheme });
      const side = page.getByRole("complementary", { name: "More" });
      await side.getByText("The result of tools/list has no resultType.").waitFor();
      for (const tool of ["sell", "give", "break", "lose"]) {
        await page.getByRole("region", { name: "Tools" }).getByRole("link", { name: tool }).click();
        await page.getByRole("heading", { name: tool, exact: true, level: 2 }).waitFor();
        await page.getByRole("button", { name: /^Call/ }).click();
        await page
          .getByText(tool === "break" ? "Error -32500" : "complete", { exact: tool !== "break" })
          .first()
          .waitFor();
      }
      await side.getByText("has the code -32500, which nobody defines").waitFor();
      await side.getByText("has the key total twice in one object").waitFor();
      const entry = page.getByRole("region", { name: "Tools" }).getByRole("link", { name: /^sell/ });
      expect(await entry.textContent()).toMatch(/\d findings/);
      await entry.click();
      const request = page.getByRole("region", { name: "Request" });
      const findings = request.locator("details.findings");
      const finding = findings
        .getByRole("listitem")
        .filter({ hasText: "A result breaks the output schema: /structuredContent/total" });
      if ((await findings.getAttribute("open")) === null) await findings.locator("summary").click();
      await finding.getByText("Clients may refuse such results").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const link = finding.getByRole("link", { name: /^message \d+$/ });
      const n = Number((await link.textContent())?.split(" ")[1]);
      expect(host.record.get(n)?.text).toContain('"seven"');
      await link.click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/wire/${n}`);
      await side
        .getByRole("region", { name: "give" })
        .getByText("A result has structuredContent and no text.")
        .waitFor();
      await entry.click();
      await page.getByRole("region", { name: "Wire" }).getByRole("button", { name: "Clear" }).click();
      await side.getByText("has no resultType").waitFor({ state: "detached" });
    });
  }
});
