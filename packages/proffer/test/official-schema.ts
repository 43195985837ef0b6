import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Transcript } from "proffer/testing";

const folder = new URL("./official-schemas/", import.meta.url);

const RESULTS: { readonly [method: string]: string } = {
  initialize: "InitializeResult",
  ping: "EmptyResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  "completion/complete": "CompleteResult",
  "logging/setLevel": "EmptyResult",
};

/** Definitions of the messages that a server sends on its own initiative, by method. */
const SENT: { readonly [method: string]: string } = {
  "notifications/cancelled": "CancelledNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/progress": "ProgressNotification",
  "notifications/prompts/list_changed": "PromptListChangedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "elicitation/create": "ElicitRequest",
  "roots/list": "ListRootsRequest",
  "sampling/createMessage": "CreateMessageRequest",
};

/** Errors with their own definition in some revisions. */
const ERRORS: { readonly [code: number]: string } = {
  [-32020]: "HeaderMismatchError",
  [-32021]: "MissingRequiredClientCapabilityError",
  [-32022]: "UnsupportedProtocolVersionError",
};

type Json = { readonly [key: string]: unknown };

class OfficialSchema {
  readonly #ajv: Ajv | Ajv2020;
  readonly #root: string;
  readonly #names: ReadonlySet<string>;

  constructor(version: string, relativeUris: boolean) {
    const schema = JSON.parse(readFileSync(new URL(`${version}.json`, folder), "utf8"));
    const modern = schema.$defs !== undefined;
    const options = { strict: false, allErrors: true, logger: false } as const;
    this.#ajv = modern ? new Ajv2020(options) : new Ajv(options);
    addFormats.default(this.#ajv);
    if (relativeUris) this.#ajv.addFormat("uri", true);
    this.#ajv.addSchema(schema, "mcp");
    this.#root = modern ? "mcp#/$defs/" : "mcp#/definitions/";
    this.#names = new Set(Object.keys(schema.$defs ?? schema.definitions));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Returns the faults of a value; empty if it is valid. */
  complaints(name: string, value: unknown): string[] {
    const validate = this.#ajv.getSchema(this.#root + name) as ValidateFunction | undefined;
    if (validate === undefined) return [`the revision does not define ${name}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${name}${error.instancePath} ${error.message}`);
  }
}

const compiled = new Map<string, OfficialSchema>();

function officialSchema(version: string, relativeUris: boolean): OfficialSchema {
  const key = `${version} ${relativeUris}`;
  const schema = compiled.get(key) ?? new OfficialSchema(version, relativeUris);
  compiled.set(key, schema);
  return schema;
}

/** Returns a complaint for each message that the server should not have sent in that revision. */
export function violations(version: string, transcript: Transcript, relativeUris = false): string[] {
  const schema = officialSchema(version, relativeUris);
  const methods = new Map<unknown, string>();
  for (const message of transcript.messages("client").flatMap(parsed)) {
    if ("id" in message && typeof message.method === "string") methods.set(message.id, message.method);
  }
  return transcript
    .messages("server")
    .flatMap(parsed)
    .flatMap((message) => {
      const all = [...judgeCode(version, message), ...judge(schema, message, methods)];
      return all.map((complaint) => `${complaint}: ${JSON.stringify(message).slice(0, 1000)}`);
    });
}

/** The specification reserves most codes, and withdrew -32002 in 2026-07-28. */
function judgeCode(version: string, message: Json): string[] {
  if (!("error" in message)) return [];
  const { code } = message.error as { code: number };
  if (!Number.isInteger(code)) return [`${code} is not a code`];
  if (code === -32002 && version <= "2025-11-25") return [];
  const reserved = code >= -32099 && code <= -32000;
  return reserved && ERRORS[code] === undefined ? [`${code} is reserved in ${version}`] : [];
}

function judge(schema: OfficialSchema, message: Json, methods: ReadonlyMap<unknown, string>): string[] {
  if (typeof message.method === "string") {
    return schema.complaints(SENT[message.method] ?? `definition of ${message.method}`, message);
  }
  if ("error" in message) return judgeError(schema, message);
  const method = methods.get(message.id);
  if (method === undefined) return ["there was no such request"];
  const asks = (message.result as Json | undefined)?.resultType === "input_required";
  return [
    ...schema.complaints(schema.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse", message),
    ...schema.complaints(asks ? "InputRequiredResult" : (RESULTS[method] ?? method), message.result),
  ];
}

function judgeError(schema: OfficialSchema, message: Json): string[] {
  // JSON-RPC demands null where no id could be read, and HTTP allows an error without an id. The older schemas do not.
  const hasId = message.id !== null && message.id !== undefined;
  const envelope = hasId || schema.has("JSONRPCErrorResponse") ? message : { ...message, id: 0 };
  const own = ERRORS[(message.error as { code: number }).code];
  return [
    ...schema.complaints(schema.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError", envelope),
    ...(own !== undefined && schema.has(own) ? schema.complaints(own, message) : []),
  ];
}

/** Returns the messages of a text: one, or those of a batch; none if it is not JSON, since tests send such texts. */
function parsed(text: string): Json[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "object" && item !== null);
  } catch {
    return [];
  }
}
