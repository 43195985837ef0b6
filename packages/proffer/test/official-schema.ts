import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Transcript } from "../src/testing/transcript.ts";

/** The published schemas are reading material beside the repository; where they are missing, nothing is compared. */
const folder = fileURLToPath(new URL("../../../../shared/data/mcp-schema/", import.meta.url));

export const schemasAreHere = existsSync(folder);
if (!schemasAreHere)
  console.warn(`SKIPPED: no official schemas in ${folder}; what servers send is not compared with them.`);

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

/** What a server sends by itself. */
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

/** Errors that have a definition of their own, where the revision defines one. */
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

  constructor(version: string) {
    const schema = JSON.parse(readFileSync(`${folder}${version}.json`, "utf8"));
    const modern = schema.$defs !== undefined;
    const options = { strict: false, allErrors: true, logger: false } as const;
    this.#ajv = modern ? new Ajv2020(options) : new Ajv(options);
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(schema, "mcp");
    this.#root = modern ? "mcp#/$defs/" : "mcp#/definitions/";
    this.#names = new Set(Object.keys(schema.$defs ?? schema.definitions));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** What is wrong with the value, or nothing. */
  complaints(name: string, value: unknown): string[] {
    const validate = this.#ajv.getSchema(this.#root + name) as ValidateFunction | undefined;
    if (validate === undefined) return [`the revision has no ${name}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${name}${error.instancePath} ${error.message}`);
  }
}

const known = new Map<string, OfficialSchema>();

function officialSchema(version: string): OfficialSchema {
  const schema = known.get(version) ?? new OfficialSchema(version);
  known.set(version, schema);
  return schema;
}

/** Everything in a transcript that the server should not have sent in that revision. */
export function violations(version: string, transcript: Transcript): string[] {
  const methods = new Map<unknown, string>();
  for (const message of transcript.messages("client").flatMap(parsed)) {
    if ("id" in message && typeof message.method === "string") methods.set(message.id, message.method);
  }
  return transcript
    .messages("server")
    .flatMap(parsed)
    .flatMap((message) => {
      const complaints = schemasAreHere ? judge(officialSchema(version), message, methods) : [];
      const all = [...judgeCode(version, message), ...complaints];
      return all.map((complaint) => `${complaint}: ${JSON.stringify(message)}`);
    });
}

/** The specification keeps most codes to itself, and gave up one of those that it had used. */
function judgeCode(version: string, message: Json): string[] {
  if (!("error" in message)) return [];
  const { code } = message.error as { code: number };
  if (!Number.isInteger(code)) return [`${code} is no code`];
  if (code === -32002 && version <= "2025-11-25") return [];
  const reserved = code >= -32099 && code <= -32000;
  return reserved && ERRORS[code] === undefined ? [`${code} is not ours to use in ${version}`] : [];
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
  // JSON-RPC wants null where no id could be read; the older schemas forgot.
  const envelope = message.id === null && !schema.has("JSONRPCErrorResponse") ? { ...message, id: 0 } : message;
  const own = ERRORS[(message.error as { code: number }).code];
  return [
    ...schema.complaints(schema.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError", envelope),
    ...(own !== undefined && schema.has(own) ? schema.complaints(own, message) : []),
  ];
}

/** The messages of a text: one, or those of a batch; none if it is no JSON, as texts of a test's client may be. */
function parsed(text: string): Json[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "object" && item !== null);
  } catch {
    return [];
  }
}
