import { describe, expect, it } from "vitest";
import { describeFlags, parseCommandLine } from "./flags.ts";
import { SERVE_FLAGS, toServing, type Variables } from "./serve-flags.ts";

function parse(line: string, variables: Variables = {}) {
  return toServing(parseCommandLine(line.split(" ").filter(Boolean), SERVE_FLAGS), variables);
}

const VARIABLES: Variables = {
  PORT: "4000",
  PROFFER_HOST: "0.0.0.0",
  PROFFER_PATH: "/env",
  PROFFER_ALLOWED_HOSTS: "a.example.com, b.example.com,",
  PROFFER_ALLOWED_ORIGINS: "https://a.example.com",
  PROFFER_TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8",
  PROFFER_HEALTH: "1",
  PROFFER_ERRORS: "message",
  PROFFER_LOG: "json",
};

describe("the flags of serve", () => {
  it.each([
    ["", { stdio: true }],
    ["--stdio", { stdio: true }],
    ["--http", { stdio: false, http: {} }],
    ["--http 0", { stdio: false, http: { port: 0 } }],
    ["--http=8080", { stdio: false, http: { port: 8080 } }],
    ["--port 8080", { stdio: false, http: { port: 8080 } }],
    ["--http --port 8080 --stdio", { stdio: true, http: { port: 8080 } }],
    ["--http 8080 --port 8080", { stdio: false, http: { port: 8080 } }],
    ["--http --host ::1 --path /a", { stdio: false, http: { host: "::1", path: "/a" } }],
    ["--http --allowed-host a --allowed-host b", { stdio: false, http: { allowedHosts: ["a", "b"] } }],
    ["--http --allowed-origin=https://a", { stdio: false, http: { allowedOrigins: ["https://a"] } }],
    ["--http --trusted-proxy 10.0.0.7", { stdio: false, http: { trustedProxies: ["10.0.0.7"] } }],
    ["--http --health --log pretty", { stdio: false, http: { health: true }, log: "pretty" }],
    ["--errors masked", { stdio: true, errors: "masked" }],
    ["--http -- --port x", { stdio: false, http: {} }],
  ])("are read from %j", (line, serving) => {
    expect(parse(line)).toEqual(serving);
  });

  it("override their variables, which apply to HTTP only if it is served", () => {
    const { errors, log } = { errors: "message", log: "json" };
    expect(parse("", VARIABLES)).toEqual({ stdio: true, errors, log });
    expect(parse("--http", VARIABLES)).toEqual({
      ...{ stdio: false, errors, log },
      http: {
        ...{ port: 4000, host: "0.0.0.0", path: "/env", health: true },
        allowedHosts: ["a.example.com", "b.example.com"],
        allowedOrigins: ["https://a.example.com"],
        trustedProxies: ["10.0.0.0/8", "fd00::/8"],
      },
    });
    const names = "--allowed-host c --allowed-origin https://c --trusted-proxy ::1";
    expect(parse(`--http 1 --host h --path /p ${names} --errors masked --log pretty`, VARIABLES)).toEqual({
      ...{ stdio: false, errors: "masked", log: "pretty" },
      http: {
        ...{ port: 1, host: "h", path: "/p", health: true },
        ...{ allowedHosts: ["c"], allowedOrigins: ["https://c"], trustedProxies: ["::1"] },
      },
    });
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, ""]));
    expect(parse("--http", { ...empty, PROFFER_HEALTH: "false" })).toEqual({ stdio: false, http: {} });
  });

  it.each([
    ["--prot 80", /Unknown option "--prot"\. Did you mean --port\?/],
    ["--quiet-please", /Unknown option "--quiet-please"\. --help shows all options/],
    ["-p 80", /Unknown option "-p"/],
    ["--http 8080 --port 8081", /--http 8080 and --port 8081 are two ports/],
    ["--port 1 --port 2", /--port has two values: 1 and 2/],
    ["--http 1 --http 2", /--http has two values: 1 and 2/],
    ["--http --host a --host b", /--host has two values: a and b/],
    ["--stdio --port 80", /--stdio and --port contradict each other/],
    ["--host ::1", /--host requires --http/],
    ["--stdio --path /a", /--path requires --http/],
    ["--allowed-host a", /--allowed-host requires --http/],
    ["--health", /--health requires --http/],
    ["--http --host", /--host requires a value: --host <address>/],
    ["--http --host --health", /--host requires a value/],
    ["--http --host=", /--host requires a value/],
    ["--http=", /--http requires a value/],
    ["--http=many", /Invalid port in --http: "many"/],
    ["--http 65536", /Invalid port in --http: "65536"/],
    ["--port -1", /--port requires a value/],
    ["--port 0x50", /Invalid port in --port: "0x50"/],
    ["--http --health=yes", /--health accepts no value, not "yes"/],
    ["--errors all", /Invalid value of --errors: "all"\. Use masked or message/],
    ["--log xml", /Invalid value of --log: "xml"\. Use json or pretty/],
  ])("are rejected in %j", (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it.each([
    [{ PORT: "many" }, /Invalid port in PORT: "many"/],
    [{ PROFFER_HEALTH: "yes" }, /Invalid value of PROFFER_HEALTH: "yes"\. Use 1 or 0/],
    [{ PROFFER_ERRORS: "all" }, /Invalid value of PROFFER_ERRORS: "all"/],
    [{ PROFFER_LOG: "xml" }, /Invalid value of PROFFER_LOG: "xml"/],
  ])("are rejected with the variables %j", (variables, message) => {
    expect(() => parse("--http", variables)).toThrow(message);
  });

  it("leave other words to the command and the words after -- to the server", () => {
    expect(parseCommandLine(["--http", "tools.ts", "--health", "--", "--http", "--", "x"], SERVE_FLAGS)).toEqual({
      flags: new Map([
        ["--http", []],
        ["--health", []],
      ]),
      operands: ["tools.ts"],
      rest: ["--http", "--", "x"],
    });
  });

  it("are all in the help, with their variables", () => {
    const help = describeFlags(SERVE_FLAGS);
    for (const { name } of SERVE_FLAGS) expect(help).toContain(`  ${name}`);
    for (const name of Object.keys(VARIABLES)) expect(help).toContain(`[$${name}]`);
  });
});

describe("the flags that choose the shown items", () => {
  const named = (origin: string, ...names: string[]) => ({ names, origin });

  it("contain names that are separated by commas, and may be repeated", () => {
    expect(parse("--toolsets orders,admin --toolsets=reports --read-only --only a*,b --except c").choice).toEqual({
      toolsets: named("--toolsets", "orders", "admin", "reports"),
      only: named("--only", "a*", "b"),
      except: named("--except", "c"),
      readOnly: true,
    });
    expect(parse("--only a").choice).toEqual({ only: named("--only", "a"), readOnly: false });
  });

  it("override their variables one by one, with HTTP and without", () => {
    const variables = {
      ...{ PROFFER_TOOLSETS: " orders , admin,", PROFFER_READ_ONLY: "true" },
      ...{ PROFFER_ONLY: "a*", PROFFER_EXCEPT: "" },
    };
    const expected = {
      toolsets: named("PROFFER_TOOLSETS", "orders", "admin"),
      only: named("--only", "b"),
      readOnly: true,
    };
    for (const line of ["--only b", "--http --only b"]) expect(parse(line, variables).choice).toEqual(expected);
    expect(parse("", { PROFFER_READ_ONLY: "0" })).toEqual({ stdio: true });
  });

  it.each([
    ["--toolsets ,", {}, /--toolsets contains no name\. Separate names by commas/],
    ["--only", {}, /--only requires a value: --only <names>/],
    ["--read-only=1", {}, /--read-only accepts no value/],
    ["", { PROFFER_EXCEPT: " , " }, /PROFFER_EXCEPT contains no name/],
    ["", { PROFFER_READ_ONLY: "yes" }, /Invalid value of PROFFER_READ_ONLY: "yes"\. Use 1 or 0/],
  ])("are rejected in %j with %j", (line, variables, message) => {
    expect(() => parse(line, variables)).toThrow(message);
  });
});

describe("the flags for OAuth", () => {
  const issuer = "https://login.example.com";
  const resource = "https://tools.example.com/mcp";

  it("override their variables", () => {
    const variables = {
      PROFFER_OAUTH_ISSUER: issuer,
      PROFFER_OAUTH_RESOURCE: resource,
      PROFFER_OAUTH_SCOPES: "orders:read  orders:write, mcp",
    };
    const scopes = ["orders:read", "orders:write", "mcp"];
    expect(parse("--http", variables).oauth).toEqual({ issuer, resource, scopes });
    const line = `--http --oauth-issuer ${issuer}/b --oauth-resource ${resource}/b --oauth-scopes x`;
    const given = { issuer: `${issuer}/b`, resource: `${resource}/b`, scopes: ["x"] };
    expect(parse(line, variables).oauth).toEqual(given);
    expect(parse(`--http --oauth-issuer ${issuer} --oauth-resource ${resource}`).oauth?.scopes).toEqual([]);
    // Over stdio nobody is asked for a token, and hosting platforms set the same variables for all processes.
    expect(parse("", variables)).toEqual({ stdio: true });
    expect(parse("--http", { PROFFER_OAUTH_ISSUER: "", PROFFER_OAUTH_SCOPES: "" })).toEqual({ stdio: false, http: {} });
  });

  it.each([
    [`--oauth-issuer ${issuer}`, {}, "--oauth-issuer requires --http."],
    [`--http --oauth-issuer ${issuer}`, {}, "--oauth-issuer requires --oauth-resource: the URL of the server"],
    [`--http --oauth-resource ${resource}`, {}, "--oauth-resource requires --oauth-issuer."],
    ["--http --oauth-scopes a", {}, "--oauth-scopes requires --oauth-issuer."],
    ["--http", { PROFFER_OAUTH_ISSUER: issuer }, "PROFFER_OAUTH_ISSUER requires PROFFER_OAUTH_RESOURCE: "],
    ["--http", { PROFFER_OAUTH_RESOURCE: resource }, "PROFFER_OAUTH_RESOURCE requires PROFFER_OAUTH_ISSUER."],
    ["--http", { PROFFER_OAUTH_SCOPES: "a" }, "PROFFER_OAUTH_SCOPES requires PROFFER_OAUTH_ISSUER."],
    [
      `--http --oauth-issuer login --oauth-resource ${resource}`,
      {},
      'Invalid URL in --oauth-issuer: "login". Use one such as https://login.example.com.',
    ],
    [
      `--http --oauth-issuer ${issuer}`,
      { PROFFER_OAUTH_RESOURCE: "ftp://x" },
      'Invalid URL in PROFFER_OAUTH_RESOURCE: "ftp://x".',
    ],
  ])("are rejected in %j with %j", (line, variables, message) => {
    expect(() => parse(line, variables)).toThrow(message);
  });
});
