import { describe, expect, it } from "vitest";
import { checkUrl, parseSafeUrl, reachOf } from "./address.ts";

const ADDRESSES = {
  public: ["1.1.1.1", "93.184.216.34", "172.15.255.255", "172.32.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1"],
  private: [
    ...[
      "10.0.0.1",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "100.64.0.1",
      "198.18.0.1",
      "fc00::1",
      "fd12:3456::1",
    ],
    ...["::ffff:10.0.0.1", "::ffff:a00:1", "64:ff9b::c0a8:101", "2002:a00:1::", "2002:c0a8:101::1", "::192.168.1.1"],
  ],
  loopback: [
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
  ],
  none: [
    ...[
      "0.0.0.0",
      "0.1.2.3",
      "::",
      "255.255.255.255",
      "224.0.0.1",
      "240.0.0.1",
      "192.0.2.1",
      "198.51.100.1",
      "203.0.113.1",
    ],
    ...["169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"],
    ...[
      "fe80::1",
      "fe80::1%eth0",
      "fec0::1",
      "ff02::1",
      "fd00:ec2::254",
      "168.63.129.16",
      "100.100.100.200",
      "192.0.0.192",
    ],
    ...["2001::1", "2001:db8::1", "3fff::1", "64:ff9b:1::1", "100::1", "4000::1"],
    ...["", "a", "1.2.3", "256.1.1.1", "1:2:3", "12345::", "::1::", "localhost"],
  ],
} as const;

describe("the reach of an address", () => {
  const cases = Object.entries(ADDRESSES).flatMap(([reach, list]) => list.map((each) => [each, reach] as const));
  it.each(cases)("of %s is %s", (address, reach) => {
    expect(reachOf(address)).toBe(reach);
  });

  it("decides who may name it", () => {
    const names = (within: "public" | "private" | "loopback" | undefined, url: string) => {
      try {
        return checkUrl(url, within) !== undefined;
      } catch {
        return false;
      }
    };
    const urls = [
      "https://1.1.1.1",
      "https://10.0.0.1",
      "https://127.0.0.1",
      "http://localhost",
      "https://169.254.169.254",
    ];
    const allowed = (within?: "public" | "private" | "loopback") => urls.map((url) => names(within, url));
    expect(allowed("public")).toEqual([true, false, false, true, false]);
    expect(allowed("private")).toEqual([true, true, false, true, false]);
    expect(allowed("loopback")).toEqual([true, true, true, true, false]);
    expect(allowed()).toEqual([true, true, true, true, true]);
  });

  it.each([
    ["https://2130706433/", "127.0.0.1"],
    ["https://0x7f.1/", "127.0.0.1"],
    ["https://0177.0.0.1/", "127.0.0.1"],
    ["https://127.1/", "127.0.0.1"],
    ["https://①②⑦.⓪.⓪.①/", "127.0.0.1"],
    ["https://127.0.0.1./", "127.0.0.1"],
    ["https://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"],
    ["https://0xa9fea9fe/", "169.254.169.254"],
  ])("is found in the spelling %s", (url, address) => {
    expect(() => checkUrl(url, "public")).toThrow(`${address} is not a public address`);
  });

  it.each([
    "http://example.com",
    "http://10.0.0.1",
    "ftp://localhost",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "x",
    "",
  ])("does not matter for %s, which is not safe", (url) => expect(parseSafeUrl(url)).toBeUndefined());
});
