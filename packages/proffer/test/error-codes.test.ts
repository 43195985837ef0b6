import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineServer, defineTool, type ErrorName, RpcError } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../src/protocol/errors.ts";
import { REVISIONS } from "../src/protocol/revisions/table.ts";
import { toErrorObject } from "../src/results/encode.ts";
import { EVERY } from "./versions.ts";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/** JSON-RPC's own codes, the specification's for all revisions, and those that are not reserved. */
const ALLOWED = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022, -31000, -31001];
/** In older revisions also the code for a missing resource, which 2026-07-28 withdrew. */
const OLDER = [...ALLOWED, -32002];
/** Codes of other servers that Proffer reads, and never sends: a page must be opened first. */
const READ = [-32042];

describe("an error code", () => {
  it.each(EVERY)("of Proffer is an integer that a server may send in %s", (version) => {
    const kinds = Object.keys(ERRORS) as ErrorName[];
    for (const kind of kinds) {
      const { code } = toErrorObject(new RpcError(kind, "m"), REVISIONS.get(version));
      expect(code).toSatisfy(Number.isInteger);
      const allowed = version < "2026-07-28" && kind === "resource_not_found" ? OLDER : ALLOWED;
      expect({ kind, isAllowed: allowed.includes(code) }).toEqual({ kind, isAllowed: true });
    }
  });

  it("in the source is one of them", () => {
    const files = readdirSync(src, { recursive: true, encoding: "utf8" });
    const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const text = sources.map((file) => readFileSync(`${src}${file}`, "utf8")).join("\n");
    const code = text.replaceAll(/^\s*(\*|\/[*/]).*$/gm, "").match(/(?<![\w.-])-3[123]\d{3}\b/g) ?? [];
    expect(code.length).toBeGreaterThan(ALLOWED.length);
    expect(code.filter((each) => ![...OLDER, ...READ].includes(Number(each)))).toEqual([]);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, "-32000", null, {}])(
    "%s that an author sets is replaced by that of its kind",
    async (code) => {
      const handle = () => {
        throw new RpcError("invalid_params", "no", { code: code as number });
      };
      const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "t", handle })] });
      const client = await connect(server);
      await expect(client.call("t")).rejects.toMatchObject({ code: -32602, message: "no" });
    },
  );
});
