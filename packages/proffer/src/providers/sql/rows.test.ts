import { describe, expect, it } from "vitest";
import { toCsvRows, toJsonRows } from "./rows.ts";

describe("rows", () => {
  const row = {
    big: 2n ** 60n,
    small: 7n,
    bytes: Buffer.from([1, 2, 3]),
    array: Uint8Array.of(255),
    when: new Date(0),
    nothing: null,
    nested: { a: [1] },
  };

  it("are serialized as JSON without loss", () => {
    expect(JSON.parse(toJsonRows([row]))).toEqual([
      {
        big: "1152921504606846976",
        small: 7,
        bytes: "AQID",
        array: "/w==",
        when: "1970-01-01T00:00:00.000Z",
        nothing: null,
        nested: { a: [1] },
      },
    ]);
  });

  it("are serialized as CSV with quotes where needed", () => {
    expect(toCsvRows([{ ...row, text: 'a,"b"\n' }])).toBe(
      'big,small,bytes,array,when,nothing,nested,text\r\n1152921504606846976,7,AQID,/w==,1970-01-01T00:00:00.000Z,,"{""a"":[1]}","a,""b""\n"\r\n',
    );
    expect(toCsvRows([])).toBe("\r\n");
  });
});
