import { defineServer, defineTool, InvalidParams, RpcError, ToolError, UsageError } from "proffer";
import { checkSettings, defineSettings, type SettingsSchema } from "proffer/settings";
import { connect, type RemoteError } from "proffer/testing";
import { describe, expect, it, vi } from "vitest";
import { consoleLog } from "../support/log.ts";

const schema = {
  type: "object",
  properties: {
    SHOP_TOKEN: { type: "string", writeOnly: true, description: "The key of your shop.\nMore about it." },
    REGION: { type: "string", enum: ["eu", "us"], default: "eu" },
    TIMEOUT: { type: "integer", minimum: 1, default: 30 },
    DEBUG: { type: "boolean" },
    TAGS: { type: "array", items: { type: "string" } },
    PORTS: { type: "array", items: { type: "integer" } },
    SHOP_URL: { type: "string", format: "uri" },
  },
  required: ["SHOP_TOKEN", "REGION", "TIMEOUT"],
} as const;

function problem(env: Record<string, string>, given: SettingsSchema = schema): string {
  try {
    defineSettings(given, { env });
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  throw new Error("The settings were accepted.");
}

describe("defineSettings", () => {
  it("converts variables to the types of the settings, and uses defaults", () => {
    const env = { SHOP_TOKEN: "sk-12345678", TIMEOUT: " 5 ", DEBUG: "Yes", TAGS: "a, b,,c", PORTS: "[80,443]" };
    const settings = defineSettings(schema, { env });
    const region: "eu" | "us" = settings.REGION;
    const timeout: number = settings.TIMEOUT;
    const debug: boolean | undefined = settings.DEBUG;
    expect([settings.SHOP_TOKEN, region, timeout, debug]).toEqual(["sk-12345678", "eu", 5, true]);
    expect(settings.TAGS).toEqual(["a", "b", "c"]);
    expect(settings.PORTS).toEqual([80, 443]);
    expect(settings.SHOP_URL).toBeUndefined();
  });

  it.each([
    ["true", true],
    ["1", true],
    ["on", true],
    ["FALSE", false],
    ["0", false],
    ["no", false],
    ["off", false],
  ])("reads the boolean %s as %s", (DEBUG, value) => {
    expect(defineSettings(schema, { env: { SHOP_TOKEN: "sk-12345678", DEBUG } }).DEBUG).toBe(value);
  });

  it("reports all problems at once, with the description of a missing setting", () => {
    const message = problem({ REGION: "ue", TIMEOUT: "0x10", DEBUG: "maybe", PORTS: "80,x", SHOP_URL: "no url" });
    expect(message).toMatchInlineSnapshot(`
      "6 settings are missing or invalid. Settings are environment variables.
      - SHOP_TOKEN is not set: The key of your shop.
      - REGION must be one of "eu", "us", not "ue". Did you mean "us"?
      - TIMEOUT must be integer, not "0x10".
      - DEBUG must be boolean, not "maybe".
      - PORTS item 1 must be integer, not "80,x".
      - SHOP_URL must be a valid uri, for example "https://example.com/a"."
    `);
  });

  it("treats an empty variable and a placeholder of Claude Desktop as not set", () => {
    const env = { SHOP_TOKEN: "sk-12345678", REGION: "", DEBUG: "  ", SHOP_URL: "$" + "{user_config.SHOP_URL}" };
    expect({ ...defineSettings(schema, { env }) }).toEqual({ REGION: "eu", TIMEOUT: 30 });
    expect(problem({ SHOP_TOKEN: "" })).toContain("SHOP_TOKEN is not set: The key of your shop.");
  });

  it("leaves secrets out when the settings are printed, spread or serialized", () => {
    const settings = defineSettings(schema, { env: { SHOP_TOKEN: "sk-printed-secret" } });
    expect(settings.SHOP_TOKEN).toBe("sk-printed-secret");
    expect(JSON.stringify([settings, { ...settings }])).not.toContain("sk-printed");
  });

  it("never shows the value of a secret, or of a text that may contain one", () => {
    const secret = { type: "object", properties: { PIN: { type: "integer", writeOnly: true } } } as const;
    expect(problem({ PIN: "not-a-number" }, secret)).not.toContain("not-a-number");
    const url = "postgres://ada:hunter22@host:5432 x";
    expect(problem({ SHOP_TOKEN: "sk-12345678", SHOP_URL: url })).not.toContain("hunter22");
    // The two variables are swapped.
    expect(problem({ SHOP_TOKEN: "sk-swapped-token", REGION: "sk-swapped-token" })).not.toContain("sk-swapped");
  });

  it("hides secrets in the log, in errors of tools and in protocol errors", async () => {
    const { SHOP_TOKEN } = defineSettings(schema, { env: { SHOP_TOKEN: 'sk-"quoted"-secret' } });
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const server = defineServer({
      name: "shop",
      version: "1.0.0",
      errors: "message",
      log: consoleLog,
      tools: ["plain", "tool", "rpc", "forms", "data"].map((name) =>
        defineTool({
          name,
          description: "Fails.",
          handle: () => {
            if (name === "plain") throw new Error(`401 for ${SHOP_TOKEN}`);
            if (name === "data") throw new InvalidParams("No.", { sent: [SHOP_TOKEN] });
            if (name === "forms") {
              const forms = [encodeURIComponent(SHOP_TOKEN), btoa(SHOP_TOKEN), btoa(`ada:${SHOP_TOKEN}!`)];
              throw new Error(
                `401 for ${[...forms, Buffer.from(`a${SHOP_TOKEN}`).toString("base64url")].join(" and ")}`,
              );
            }
            if (name === "tool") throw new ToolError(`401 for ${SHOP_TOKEN}`);
            throw new RpcError("internal_error", `401 for ${SHOP_TOKEN}`, { cause: new Error(SHOP_TOKEN) });
          },
        }),
      ),
    });
    const client = await connect(server);
    const answers = [await client.call("plain"), await client.call("tool"), await client.call("rpc").catch(String)];
    const forms = JSON.stringify(await client.call("forms"));
    const data = await client.call("data").catch((error: RemoteError) => error.data);
    await client.close();
    const lines = error.mock.calls.flat().join("\n");
    error.mockRestore();
    expect(forms).toContain("401 for [redacted] and ");
    expect(forms.match(/\[redacted\]/g)).toHaveLength(4);
    expect(data).toEqual({ sent: ["[redacted]"] });
    expect(JSON.stringify(answers)).toContain("401 for [redacted]");
    expect(JSON.stringify(answers)).not.toContain("quoted");
    expect(lines).toContain("401 for [redacted]");
    expect(lines).not.toContain("quoted");
  });

  it("refuses a missing schema, a name that no variable can have, and a type that no text has", () => {
    expect(() => defineSettings<{ A: string }>()).toThrow("use `proffer serve`");
    const of = (properties: SettingsSchema["properties"]) => () => defineSettings({ type: "object", properties });
    expect(of({ "shop-token": { type: "string" } })).toThrow('"shop-token" is not the name of an environment variable');
    expect(of({ A: { type: "object" } })).toThrow("The setting A must have the type string");
    expect(of({ A: { type: "array", items: { type: "array" } } })).toThrow("The setting A must have the type string");
    expect(of({ A: { type: "string", writeOnly: true, default: "x" } })).toThrow("must not have a default");
  });

  it("checks the settings of a manifest, if there are any", () => {
    expect(() => checkSettings(undefined)).not.toThrow();
    expect(() => checkSettings(schema, {})).toThrow("SHOP_TOKEN is not set");
  });
});
