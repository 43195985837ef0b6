import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createDeriver } from "../src/derive/deriver.ts";
import { asWritten, review } from "../src/doctor/review.ts";
import { describedServer, listServer } from "../src/modules/load.ts";

/** The findings that an example keeps, by the end of its module's path, with the reason. */
const KEPT: { readonly [module: string]: readonly string[] } = {
  // It shows failures on purpose.
  "logtalk-tour/server.ts": ["PF4060"],
  // Tests compare these two with the originals, which have such results.
  "ports/filesystem/server.ts": ["PF4051"],
  "ports/memory/server.ts": ["PF4051"],
};

describe("the examples", () => {
  const modules = [
    "algocline",
    "birds",
    "logtalk-tour",
    "oauth",
    "quickstart",
    "sales-orders",
    "ports/filesystem",
    "ports/memory",
  ];
  // The texts of examples/conformance are those of the conformance tests.
  it.each(modules.map((name) => `${name}/server.ts`))("have no findings: %s", async (name) => {
    const module = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
    const own = createDeriver(module, { check: false });
    const server = await describedServer(module, own.derive());
    const listing = await listServer(server);
    const written = asWritten(listing, server);
    const found = review({ listing, written, sources: own.sources(), module }).filter(({ level }) => level !== "good");
    const kept = KEPT[name] ?? [];
    expect(found.filter(({ code = "" }) => !kept.includes(code))).toEqual([]);
  });
});
