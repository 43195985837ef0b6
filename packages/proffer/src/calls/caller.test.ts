import { describe, expect, it } from "vitest";
import { callerOf } from "./caller.ts";

describe("the caller", () => {
  const listener = {};
  const address = "203.0.113.7";

  it("is the principal, else the address, else the session", () => {
    expect(callerOf({ principal: { id: "ada" }, address, listener })).toBe("id ada");
    expect(callerOf({ address, listener })).toBe("address 203.0.113.7");
    expect(callerOf({ listener })).toBe(callerOf({ listener }));
    expect(callerOf({ listener })).not.toBe(callerOf({ listener: {} }));
    expect(callerOf({})).toBeUndefined();
  });

  it("is the one that the principal names, for callers with several ids", () => {
    const ids = ["issuer client-1 ada", "issuer client-2 ada"];
    expect(new Set(ids.map((id) => callerOf({ principal: { id, caller: "issuer ada" } })))).toHaveLength(1);
  });

  it.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:203.0.113.7", "203.0.113.7"],
  ])("of %s is %s", (given, network) => {
    expect(callerOf({ address: given })).toBe(`address ${network}`);
  });
});
