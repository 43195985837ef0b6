import { describe, expect, it } from "vitest";
import { randomKey } from "../support/seal.ts";
import { findKeys } from "./keys.ts";

describe("keys", () => {
  it("are parsed from base64, separated by commas", () => {
    const keys = [randomKey(), randomKey()];
    const text = keys.map((bytes) => Buffer.from(bytes).toString("base64")).join(" , ");
    expect(findKeys([text])?.map((bytes) => [...bytes])).toEqual(keys.map((bytes) => [...bytes]));
  });

  it.each(["", "AAAA", "not base64!", `${Buffer.alloc(32).toString("base64")},`])("are rejected: %j", (text) => {
    expect(() => findKeys([text])).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});
