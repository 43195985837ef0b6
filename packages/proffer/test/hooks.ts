import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CodecOptions,
  type CompanionOptions,
  type CompleteFunction,
  companion,
  defineCodec,
  definePrompt,
  defineResource,
  defineResourceGroup,
  defineServer,
  defineTool,
  field,
  type PromptArgumentOptions,
  type PromptOptions,
  type ReadResourceOptions,
  type ResourceGroupOptions,
  type Server,
  type ServerOptions,
  type StandardSchema,
  type Store,
  type ToolOptions,
} from "proffer";
import { createDerivedServer } from "proffer/built";
import type { CustomPlan, Manifest, Plan } from "proffer/derived";
import type { FilesOptions } from "proffer/files";
import type { Authenticate, ServeOptions } from "proffer/http";
import { type JsonlOptions, jsonl } from "proffer/jsonl";
import { type OAuthOptions, oauth } from "proffer/oauth";
import { defineObserver, type ObserverOptions } from "proffer/observe";
import {
  type ConcurrencyOptions,
  concurrency,
  type DenyOptions,
  deny,
  type RateLimitOptions,
  rateLimit,
} from "proffer/policy";
import { type SqlDriver, type SqlOptions, type SqlQuery, sql } from "proffer/sql";
import type { StdioOptions } from "proffer/stdio";
import type { TestClient } from "proffer/testing";
import { createKey, forge, RESOURCE, toJwk } from "./oauth/fake-issuer.ts";
import { bearer } from "./oauth/protect.ts";

/** The properties of an options type that may be a function. */
type Functions<Options> = {
  [Key in keyof Options]-?: Extract<Options[Key], (...values: never) => unknown> extends never ? never : Key;
}[keyof Options];

type Standard = StandardSchema["~standard"];

/** The option types through which an author passes functions to a server. A test compares them with the entries. */
interface OptionTypes {
  ServerOptions: ServerOptions;
  /** `observe.test.ts` has the other members, which other requests need. */
  ObserverOptions: Pick<ObserverOptions, "begin" | "end" | "logDetails">;
  Store: Store;
  ToolOptions: ToolOptions<undefined, undefined>;
  StandardSchema: Pick<Standard, "validate"> & NonNullable<Standard["jsonSchema"]>;
  PromptOptions: PromptOptions<PromptArgumentOptions & Record<string, never>>;
  PromptArgumentOptions: PromptArgumentOptions;
  ReadResourceOptions: ReadResourceOptions<"x://{id}", unknown>;
  CompleteOptions: NonNullable<ReadResourceOptions<"x://{id}", unknown>["complete"]>;
  CompanionOptions: CompanionOptions<(id: string) => unknown>;
  CompanionCompleteOptions: { id: CompleteFunction };
  CodecOptions: CodecOptions<Date, string>;
  ResourceGroupOptions: ResourceGroupOptions;
  ServeOptions: ServeOptions;
  StdioOptions: StdioOptions;
  OAuthOptions: OAuthOptions;
  FilesOptions: FilesOptions;
  JsonlOptions: JsonlOptions<"x://{id}", unknown>;
  SqlOptions: SqlOptions;
  SqlQuery: SqlQuery;
  SqlDriver: SqlDriver;
  RateLimitOptions: RateLimitOptions;
  ConcurrencyOptions: ConcurrencyOptions;
  DenyOptions: DenyOptions;
}

/** Every function that an author can pass, such as `ServerOptions.log`. */
export type HookName = {
  [Type in keyof OptionTypes]: `${Type}.${Functions<OptionTypes[Type]> & string}`;
}[keyof OptionTypes];

// biome-ignore lint/suspicious/noExplicitAny: the table has hooks of every type
type AnyHook = (...values: any[]) => any;

/** The fault of a hook. */
export type Fault = "throws" | "rejects" | "throws a bare object" | "returns nonsense" | "never settles";

/** How the server answers the request that needs the hook. */
export type Outcome = "served" | "internal error" | "tool error" | "refused" | "undefinable";

/** One hook: how it is used, and how its failure is seen. */
export interface Hook {
  /** The hook without a fault. */
  readonly works: AnyHook;
  define(hook: AnyHook): Omit<ServerOptions, "name" | "version">;
  /** Options of `serveHttp`, for hooks of HTTP. */
  http?(hook: AnyHook): ServeOptions;
  /** Whether each request is sent to a new handler, which starts the server and stops it. */
  readonly isLifespan?: boolean;
  /** Sends the request that needs the hook. Default: `tools/list`. */
  request?(client: TestClient): Promise<unknown>;
  /** The outcome of an exception and a rejection. */
  readonly failed: Outcome;
  /** The outcome of a return value of the wrong type; its value. */
  readonly nonsense: Outcome;
  readonly nonsenseValue?: unknown;
  /** The outcome if it never settles; undefined if a time limit is the author's decision. */
  readonly late?: Outcome;
  /** Where a failure is logged. Default: once in the server's log. */
  readonly loggedTo?: "console" | "nowhere";
  /** Whether the request fails and is logged even if the hook works. */
  readonly alwaysFails?: boolean;
  /** Whether nonsense is not an error, and not logged. */
  readonly tolerant?: boolean;
  /** Whether the caller, such as `JSON.stringify`, cannot wait: then it cannot reject either. */
  readonly isSync?: boolean;
}

const LIST = { name: "x", uri: "x://{id}", read: () => "" } as const;
const list = (client: TestClient) => client.request("resources/list");
const read = (client: TestClient) => client.read("x://1");
const call = (client: TestClient) => client.call("t");
const entries = () => [{ uri: "x://1" }];
const folder = mkdtempSync(join(tmpdir(), "proffer-hooks-"));
const file = join(folder, "rows.jsonl");
writeFileSync(file, "{}\nbad\n");

async function subscribe(client: TestClient): Promise<unknown> {
  const stop = await client.listen({ uris: ["x://1"] });
  await stop.close();
  return {};
}

function complete(ref: object): (client: TestClient) => Promise<unknown> {
  return (client) => client.request("completion/complete", { ref, argument: { name: "id", value: "" } });
}

function standard(hooks: Partial<Pick<Standard, "validate">> & Partial<Standard["jsonSchema"]>) {
  const json = () => ({ type: "object" });
  const { validate = (value: unknown) => ({ value: value as object }), input = json, output = json } = hooks;
  return {
    "~standard": { version: 1, vendor: "test", validate, jsonSchema: { input, output } },
  } as unknown as StandardSchema<object>;
}

const ASKING = field.boolean();
const COMPLETE = {
  works: (() => ["1"]) satisfies CompleteFunction,
  failed: "internal error",
  nonsense: "internal error",
  nonsenseValue: "not a list",
  late: "internal error",
} as const;
const LISTED = {
  works: entries,
  request: list,
  failed: "internal error",
  nonsense: "internal error",
  late: "internal error",
} as const;
const EXISTS = {
  works: () => true,
  request: subscribe,
  failed: "internal error",
  nonsense: "refused",
  late: "internal error",
} as const;
const WATCH = {
  works: () => () => {},
  request: subscribe,
  failed: "served",
  nonsense: "served",
  late: "served",
} as const;
const CODEC = {
  request: (client: TestClient) => client.call("t", { at: "2026-01-01" }),
  failed: "tool error",
} as const;
const DEFINED = {
  works: () => ({ type: "object" }),
  failed: "undefinable",
  nonsense: "undefinable",
  isSync: true,
} as const;

const HELLO = { tools: [defineTool({ name: "t", handle: () => "hello" })] };
const PER = {
  works: () => "key",
  request: call,
  failed: "internal error",
  nonsense: "internal error",
  nonsenseValue: 42,
  late: "internal error",
} as const;
const OBSERVED = { failed: "served", nonsense: "served", late: "served", tolerant: true } as const;

/** Every hook, so that a new one does not compile without its row. */
export const HOOKS = {
  "ServerOptions.shows": {
    works: () => true,
    define: (shows) => ({ shows, tools: [defineTool({ name: "t", handle: () => "" })] }),
    // Items for which it fails are hidden.
    failed: "served",
    nonsense: "served",
    isSync: true,
  },
  "ServerOptions.middleware": {
    works: (_call, next) => next(),
    define: (middleware) => ({ tools: [], middleware }),
    failed: "internal error",
    nonsense: "internal error",
  },
  "ObserverOptions.begin": {
    ...OBSERVED,
    works: (_call, work) => work(),
    define: (begin) => ({ tools: [], observe: defineObserver({ begin }) }),
  },
  "ObserverOptions.end": {
    ...OBSERVED,
    works: () => {},
    define: (end) => ({ tools: [], observe: defineObserver({ end }) }),
  },
  "ObserverOptions.logDetails": {
    works: () => ({}),
    define: (logDetails) => ({
      observe: defineObserver({ logDetails }),
      tools: [defineTool({ name: "t", handle: () => Promise.reject(new Error("of the tool")) })],
    }),
    request: call,
    failed: "tool error",
    nonsense: "tool error",
    alwaysFails: true,
    tolerant: true,
    isSync: true,
  },
  "ServerOptions.log": {
    works: () => {},
    define: (log) => ({
      log,
      tools: [defineTool({ name: "t", handle: () => Promise.reject(new Error("of the tool")) })],
    }),
    request: call,
    failed: "tool error",
    nonsense: "tool error",
    late: "tool error",
    loggedTo: "console",
    alwaysFails: true,
    tolerant: true,
  },
  "ServerOptions.onStart": {
    works: () => {},
    define: (onStart) => ({ onStart, tools: [defineTool({ name: "t", handle: () => "" })] }),
    isLifespan: true,
    failed: "refused",
    nonsense: "served",
    late: "refused",
    tolerant: true,
  },
  // Its time limit is the drain time of the transport, which `lifespan.test.ts` tests.
  "ServerOptions.onStop": {
    works: () => {},
    define: (onStop) => ({ onStop, tools: [defineTool({ name: "t", handle: () => "" })] }),
    isLifespan: true,
    failed: "served",
    nonsense: "served",
    tolerant: true,
  },
  "ServerOptions.errors": {
    works: () => "Try again later.",
    define: (errors) => ({
      errors,
      tools: [defineTool({ name: "t", handle: () => Promise.reject(new Error("of the tool")) })],
    }),
    request: call,
    failed: "tool error",
    nonsense: "tool error",
    nonsenseValue: 42,
    // It must be synchronous: a promise is nonsense.
    late: "tool error",
    alwaysFails: true,
  },
  "Store.claim": {
    works: () => true,
    define: (claim) => ({
      store: { claim },
      tools: [
        defineTool({
          name: "t",
          singleUse: true,
          handle: (_, ctx) => ctx.ask("?", { ok: ASKING }).then(() => "asked"),
        }),
      ],
    }),
    request: call,
    failed: "internal error",
    nonsense: "refused",
    tolerant: true,
  },
  "Store.count": {
    works: () => 1,
    define: (count) => ({
      ...HELLO,
      store: { claim: () => true, count },
      middleware: rateLimit({ per: "tool", rate: 1 }),
    }),
    request: call,
    failed: "internal error",
    nonsense: "internal error",
  },
  "RateLimitOptions.per": {
    ...PER,
    define: (per) => ({ ...HELLO, middleware: rateLimit({ per, rate: 100 }) }),
  },
  "ConcurrencyOptions.per": {
    ...PER,
    define: (per) => ({ ...HELLO, middleware: concurrency({ per, max: 1 }) }),
  },
  "DenyOptions.unless": {
    ...PER,
    works: () => true,
    define: (unless) => ({ ...HELLO, middleware: deny({ names: ["t"], unless }) }),
  },
  "ToolOptions.handle": {
    works: () => "done",
    define: (handle) => ({ tools: [defineTool({ name: "t", handle, timeout: 20 })] }),
    request: call,
    failed: "tool error",
    nonsense: "internal error",
    nonsenseValue: Symbol("nonsense"),
    late: "tool error",
  },
  "StandardSchema.validate": {
    works: (value) => ({ value }),
    define: (validate) => ({
      tools: [defineTool({ name: "t", input: standard({ validate }), handle: () => "", timeout: 20 })],
    }),
    request: call,
    failed: "tool error",
    nonsense: "tool error",
    late: "tool error",
  },
  "StandardSchema.input": {
    ...DEFINED,
    define: (input) => ({ tools: [defineTool({ name: "t", input: standard({ input }), handle: () => "" })] }),
  },
  "StandardSchema.output": {
    ...DEFINED,
    define: (output) => ({ tools: [defineTool({ name: "t", output: standard({ output }), handle: () => ({}) })] }),
  },
  "PromptOptions.get": {
    works: () => "text",
    define: (get) => ({ prompts: [definePrompt({ name: "p", get })] }),
    request: (client) => client.get("p"),
    failed: "internal error",
    nonsense: "internal error",
  },
  "PromptArgumentOptions.complete": {
    ...COMPLETE,
    define: (suggest) => ({
      prompts: [definePrompt({ name: "p", arguments: { id: { complete: suggest } }, get: () => "" })],
    }),
    request: complete({ type: "ref/prompt", name: "p" }),
  },
  "ReadResourceOptions.read": {
    works: () => "text",
    define: (hook) => ({ resources: [defineResource({ ...LIST, read: hook })] }),
    request: read,
    failed: "internal error",
    nonsense: "internal error",
    nonsenseValue: Symbol("nonsense"),
  },
  "ReadResourceOptions.list": {
    ...LISTED,
    define: (hook) => ({ resources: [defineResource({ ...LIST, list: hook })] }),
  },
  "ReadResourceOptions.exists": {
    ...EXISTS,
    define: (exists) => ({ resources: [defineResource({ ...LIST, exists })] }),
    tolerant: true,
  },
  "ReadResourceOptions.watch": {
    ...WATCH,
    define: (watch) => ({ resources: [defineResource({ ...LIST, watch })] }),
  },
  "CompleteOptions.id": {
    ...COMPLETE,
    define: (id) => ({ resources: [defineResource({ ...LIST, complete: { id } })] }),
    request: complete({ type: "ref/resource", uri: "x://{id}" }),
  },
  "CompanionOptions.list": {
    ...LISTED,
    define: (hook) => withCompanion({ list: hook }),
  },
  "CompanionOptions.exists": {
    ...EXISTS,
    define: (exists) => withCompanion({ exists }),
    tolerant: true,
  },
  "CompanionOptions.watch": {
    ...WATCH,
    define: (watch) => withCompanion({ watch }),
  },
  "CompanionCompleteOptions.id": {
    ...COMPLETE,
    define: (id) => withCompanion({ complete: { id } }),
    request: complete({ type: "ref/resource", uri: "x://{id}" }),
  },
  // An exception is how a codec rejects an argument of the client, so it is not logged.
  "CodecOptions.decode": {
    works: (text) => new Date(text),
    define: (decode) => withCodec({ decode }),
    request: (client) => client.call("t", { at: "2026-01-01" }),
    failed: "tool error",
    nonsense: "served",
    isSync: true,
    loggedTo: "nowhere",
  },
  "CodecOptions.encode": {
    ...CODEC,
    works: (date) => date.toISOString(),
    define: (encode) => withCodec({ encode }),
    nonsense: "tool error",
    nonsenseValue: 42,
  },
  "CodecOptions.is": {
    ...CODEC,
    works: (value) => value instanceof Date,
    define: (is) => withCodec({ is }),
    nonsense: "served",
    tolerant: true,
  },
  "ResourceGroupOptions.messages": {
    works: () => "No such resource.",
    define: (messages) => ({
      resources: [defineResourceGroup({ uri: "x://", messages }, [defineResource({ ...LIST, uri: "x://a/{id}" })])],
    }),
    request: (client) => client.read("x://b/1").catch((error) => (error.code === -32602 ? {} : Promise.reject(error))),
    failed: "internal error",
    nonsense: "internal error",
    late: "internal error",
  },
  "ServeOptions.authenticate": {
    works: () => ({ id: "ada" }),
    define: () => ({ tools: [] }),
    http: (authenticate) => ({ authenticate }),
    failed: "internal error",
    nonsense: "internal error",
    nonsenseValue: null,
    late: "internal error",
  },
  "ServeOptions.caller": {
    works: () => "tenant",
    define: () => ({ tools: [] }),
    http: (caller) => ({ caller }),
    failed: "served",
    nonsense: "served",
    nonsenseValue: 42,
  },
  "OAuthOptions.principal": {
    works: () => ({}),
    // The limit includes the time to load jose and to verify the token.
    define: () => ({ tools: [], limits: { hookTimeout: 2000 } }),
    http: (principal) => ({ authenticate: withToken({ principal }) }),
    failed: "internal error",
    nonsense: "internal error",
    nonsenseValue: 42,
    late: "internal error",
  },
  "ServeOptions.log": {
    works: () => {},
    define: () => ({ tools: [] }),
    http: (log) => ({ log }),
    failed: "served",
    nonsense: "served",
    late: "served",
    loggedTo: "console",
    tolerant: true,
  },
  "JsonlOptions.badLines": {
    works: ({ line }) => `Line ${line}.`,
    define: (badLines) => ({ resources: [jsonl(() => file, { uri: "x://{id}", name: "x", badLines })] }),
    request: (client) =>
      read(client).catch(({ message }) => (message === "Line 2." ? {} : Promise.reject({ code: -32603 }))),
    failed: "internal error",
    nonsense: "internal error",
    late: "internal error",
  },
  "JsonlOptions.list": {
    ...LISTED,
    define: (hook) => ({ resources: [jsonl(() => file, { uri: "x://{id}", name: "x", list: hook })] }),
  },
  "JsonlOptions.exists": {
    ...EXISTS,
    define: (exists) => ({ resources: [jsonl(() => file, { uri: "x://{id}", name: "x", exists })] }),
    tolerant: true,
  },
  "JsonlOptions.watch": {
    ...WATCH,
    // Without `exists` a subscription reads the file, for which a busy machine needs longer than the time limit of hooks.
    define: (watch) => ({ resources: [jsonl(() => file, { uri: "x://{id}", name: "x", watch, exists: () => true })] }),
  },
  "SqlQuery.list": {
    ...LISTED,
    define: (hook) => ({ resources: [sql({ query: () => [] }, sqlOptions({ list: hook }))] }),
  },
  "SqlDriver.query": {
    works: () => [{ id: 1 }],
    define: (query) => ({ resources: [sql({ query }, sqlOptions({}))] }),
    request: read,
    failed: "internal error",
    nonsense: "internal error",
  },
} satisfies Record<HookName, Hook>;

/** Protects a server by OAuth; each request has the same good token. */
function withToken(options: Partial<OAuthOptions>): Authenticate {
  const key = createKey("k");
  const iss = "https://login.example.com";
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss, aud: RESOURCE, sub: "ada", iat, exp: iat + 3600 };
  const token = forge({ alg: "ES256", typ: "at+jwt", kid: "k" }, claims, key.privateKey);
  const issuer = [{ issuer: iss, jwks: { keys: [toJwk(key)] } }];
  const { authenticate } = oauth({ issuer, resource: RESOURCE, ...options });
  return ({ method, path, query, address, raw }) =>
    authenticate({ method, path, query, address, raw, header: () => bearer(token) });
}

/** A derived resource whose function has a companion. */
function withCompanion(options: CompanionOptions<(id: string) => unknown>): Omit<ServerOptions, "name" | "version"> {
  const item = (id: string) => id;
  companion(item, options);
  const manifest = {
    server: { name: "derived", version: "1" },
    tools: [],
    prompts: [],
    resources: [
      {
        uri: "x://{id}",
        name: "x",
        variables: [{ name: "id", required: true, type: "string", schema: { type: "string" } }],
        companion: {
          ...(options.complete && { complete: ["id"] }),
          ...(options.list && { list: true as const }),
          ...(options.exists && { exists: true as const }),
          ...(options.watch && { watch: true as const }),
        },
        binding: { path: ["item"], parameters: [{ kind: "argument", name: "id" }], result: { kind: "value" } },
      },
    ],
  } as const;
  return { resources: [...createDerivedServer(manifest, async () => ({ item })).resources] };
}

/** A derived tool whose argument and result have a codec. */
function withCodec(options: Partial<CodecOptions<Date, string>>): Omit<ServerOptions, "name" | "version"> {
  const date = defineCodec<Date, string>({
    decode: (text) => new Date(text),
    encode: (value) => value.toISOString(),
    ...options,
  });
  const plan = { kind: "custom", codec: "date", name: "Date", types: ["string" as const] } satisfies CustomPlan;
  const union = { kind: "union", options: [{ plan }] } satisfies Plan;
  const manifest: Manifest = {
    server: { name: "derived", version: "1" },
    tools: [
      {
        name: "t",
        inputSchema: { type: "object", properties: { at: { type: "string" } } },
        outputSchema: { type: ["string", "object"] },
        binding: {
          path: ["same"],
          parameters: [{ kind: "argument", name: "at" }],
          decode: { plan: { kind: "object", properties: { at: plan } }, custom: true },
          result: { kind: "value", encode: { plan: options.is ? union : plan, custom: true } },
        },
      },
    ],
    prompts: [],
    resources: [],
  };
  return { tools: [...createDerivedServer(manifest, async () => ({ date, same: () => new Date(0) })).tools] };
}

function sqlOptions(query: Partial<SqlQuery>): SqlOptions {
  const queries = [{ path: "{id}", name: "x", text: "select :id", ...query }];
  return { uri: "x://", dialect: "sqlite", queries };
}

/** Functions that hooks return or yield, which Proffer calls as well. */
export const RETURNED: Record<string, Hook> = {
  "the stop function of a watcher": {
    ...WATCH,
    works: () => {},
    define: (stop) => ({ resources: [defineResource({ ...LIST, watch: () => stop })] }),
    nonsenseValue: 42,
    tolerant: true,
  },
  "next() of a list": {
    ...LISTED,
    works: async () => ({ done: true, value: undefined }),
    define: (next) => ({
      resources: [defineResource({ ...LIST, list: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) })],
    }),
  },
  "return() of a list": {
    ...LISTED,
    works: async () => ({ done: true, value: undefined }),
    define: (back) => ({
      pageSize: 1,
      resources: [
        defineResource({
          ...LIST,
          list: () => {
            let id = 0;
            const next = async () => ({ done: false, value: { uri: `x://${id++}` } }) as const;
            return { [Symbol.asyncIterator]: () => ({ next, return: back }) };
          },
        }),
      ],
    }),
  },
  "toJSON() of a result": {
    works: () => ({}),
    define: (toJSON) => ({ tools: [defineTool({ name: "t", handle: () => ({ toJSON }) })] }),
    request: call,
    failed: "internal error",
    nonsense: "internal error",
    isSync: true,
  },
  "the schema of a parameter": {
    works: (value) => ({ value }),
    define: (validate) => ({
      resources: [defineResource({ ...LIST, params: { id: standard({ validate }) as StandardSchema<unknown> } })],
    }),
    request: read,
    failed: "internal error",
    nonsense: "internal error",
    late: "internal error",
  },
};

export function serveHook(hook: Hook, misbehaving: AnyHook, log: ServerOptions["log"]): Server {
  const limits = { hookTimeout: 20, startTimeout: 20 };
  return defineServer({ name: "s", version: "1", limits, ...(log && { log }), ...hook.define(misbehaving) });
}
