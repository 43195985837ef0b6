// Every folder of the sources: its purpose, and the folders whose values it may import. `npm run house -- --check` compares the
// imports with this table. A folder without a list belongs to the one around it, and imports as it does; with `packages`, it
// imports nothing of other packages, not even types (biome.json bounds the packages of the other folders).

const base = ["protocol", "support", "uri"];
const data = [...base, "results", "schema"];
const requests = [...data, "catalog", "calls"];
const items = [...requests, "questions"];
const core = [...items, "prompts", "resources", "server", "tools"];

const proffer = {
  "": {
    purpose: "One entry for each subpath of the package, which only re-exports; `bin.ts` is the command",
    imports: "all",
  },
  support: { purpose: "Small helpers: memos, bytes, seals, logs, usage errors", imports: [] },
  protocol: { purpose: "The wire format: JSON-RPC messages, parsing, error codes, the MCP data model", imports: [] },
  "protocol/revisions": { purpose: "One file for each protocol revision: its methods, codes and conversions" },
  uri: { purpose: "URI templates (RFC 6570): parse, expand, match, route", imports: ["support"] },
  schema: { purpose: "Standard Schema and JSON Schema as one interface", imports: base },
  "schema/json-schema": { purpose: "The validator of JSON Schema" },
  "schema/listed": { purpose: "The form of a schema that clients are shown" },
  results: { purpose: "Return values → results → JSON", imports: base },
  catalog: { purpose: "The items of a server: registries, who sees which, pages and cursors, changes", imports: data },
  calls: {
    purpose: "One request in flight: `Call`, cancellation, middleware",
    imports: [...data, "catalog"],
  },
  questions: { purpose: "The handler's context and `ctx.ask()`: requests, rounds, replay", imports: requests },
  tools: { purpose: "`defineTool`, and tools/list and tools/call", imports: items },
  prompts: { purpose: "`definePrompt`, and prompts/list and prompts/get", imports: items },
  resources: { purpose: "`defineResource`, lists, reads, completion, watching, subscriptions", imports: items },
  server: {
    purpose: "`defineServer`, connections, dispatch, the table of methods, the seam for features",
    imports: core,
  },
  features: {
    purpose: "Optional parts of a server; `features.ts` has the table of them, and runs their hooks",
    imports: core,
  },
  "features/adapt": { purpose: "Lists and results adapted to clients that would lose a part of them", imports: core },
  "features/card": {
    purpose: "`serverCard()`: a document about a server, for those who have not connected yet",
    imports: [...base, "transports/http"],
  },
  "features/cluster": {
    purpose: "A server on several nodes: changes, readiness, metrics",
    imports: [...core, "nodes"],
  },
  "features/describe": {
    purpose: "A server that is only described: it starts nothing and calls nothing",
    imports: core,
  },
  "features/max-result": { purpose: "Large results: cut, the rest kept, the tool `more`", imports: [...core, "nodes"] },
  "features/mounts": {
    purpose: "Other servers inside one's own, and questions across revisions",
    imports: [...core, "client", "features/toolsets", "nodes"],
  },
  "features/observe": { purpose: "`defineObserver`: values of every call, for logs and metrics", imports: core },
  "features/resource-tools": { purpose: "Resources as tools, for models that cannot read resources", imports: core },
  "features/skills": {
    purpose: "Skills: instructions for models, with files, in the extension and for clients without it",
    imports: core,
  },
  "features/tasks": {
    purpose: "Calls that outlive their requests: records, runs, results",
    imports: [...core, "nodes"],
  },
  "features/telemetry": {
    purpose: "OpenTelemetry, an optional peer: spans and metrics",
    imports: [...core, "features/observe"],
  },
  "features/toolsets": {
    purpose: "Choice of the items that a client is shown: option, flags, `?toolsets=`",
    imports: core,
  },
  nodes: { purpose: "The ports that nodes share (store, bus, queue), and memory behind them", imports: core },
  "nodes/redis": { purpose: "The ports on Redis or Valkey, for clients of any make" },
  "nodes/environment": { purpose: "Nodes on the Redis that the environment names", imports: [...core, "nodes"] },
  "nodes/bullmq": { purpose: "The queue on BullMQ" },
  "nodes/sessions": {
    purpose: "HTTP sessions of older revisions that nodes share",
    imports: [...core, "nodes", "transports/http"],
  },
  transports: {
    purpose: "Bytes ↔ messages: memory, the process, the flags of served folders",
    imports: [...core, "transports/http", "transports/stdio"],
  },
  "transports/stdio": { purpose: "stdin and stdout of a process", imports: core },
  "transports/http": { purpose: "The path of an HTTP request, for every platform", imports: core },
  "transports/http/node": { purpose: "HTTP on Node" },
  "transports/http/fetch": { purpose: "HTTP on `Request` and `Response`" },
  outgoing: {
    purpose: "Requests to addresses that other parties may have named: checked, and bounded",
    imports: ["support"],
  },
  oauth: {
    purpose: "`oauth()`: access tokens, keys, metadata, challenges",
    imports: [...base, "calls", "outgoing", "transports/http"],
  },
  policy: { purpose: "Ready-made middleware, and the audit log", imports: [...core, "features/observe"] },
  settings: { purpose: "`defineSettings`: environment variables", imports: data },
  providers: { purpose: "Ready-made resources", imports: core },
  "providers/files": { purpose: "Files of a folder" },
  "providers/jsonl": { purpose: "Lines of a JSONL file" },
  "providers/skills": { purpose: "Skills: their folders, files and frontmatter" },
  "providers/sql": { purpose: "Rows and schemas of a database" },
  derived: { purpose: "Servers created from a manifest, for `@proffer/cli` and builds", imports: core },
  adapters: { purpose: "Optional peers behind subpaths", imports: data },
  client: {
    purpose: "The client of `proffer/client`: connections to servers, requests, answers, tasks",
    imports: [...base, "login", "outgoing"],
  },
  login: {
    purpose: "Logins of the client: metadata, tokens, redirects; loaded after a 401",
    imports: ["outgoing", "support"],
  },
  testing: {
    purpose: "The client of `proffer/testing`: one that keeps all messages",
    imports: [...core, "client", "nodes", "transports"],
  },
};

/** More imports of single files or folders. The core may name a feature in its table of features and in types of options. */
const profferExceptions = [
  {
    from: "features/features.ts",
    lazy: ["adapt", "cluster", "max-result", "mounts", "resource-tools", "skills", "tasks", "toolsets"].map(
      (name) => `features/${name}`,
    ),
  },
  { from: "server/server.ts", value: ["features"] },
  { from: "server/", type: ["features/mounts", "features/tasks", "features/toolsets", "nodes", "providers"] },
  { from: "features/skills/", value: ["providers"] },
  { from: "features/cluster/feature.ts", lazy: ["nodes/sessions"] },
  // A server in the same process is loaded when one is connected to.
  { from: "client/server-link.ts", value: ["server", "transports"], type: ["calls"], lazy: ["features/tasks"] },
  { from: "client/", type: ["features/tasks", "server", "tools"] },
  // Only types of what authors define.
  { from: "client/served.ts", type: ["prompts", "questions", "resources", "schema"] },
  { from: "client/wire.ts", type: ["results", "schema"] },
  { from: "testing/", type: ["features/tasks"] },
  {
    from: "transports/",
    lazy: ["features/card", "nodes", "nodes/environment", "oauth"],
    type: ["features/resource-tools", "features/toolsets"],
  },
  // The settings of the environment.
  { from: "transports/arguments.ts", value: ["nodes/environment"] },
  {
    from: "transports/process.ts",
    lazy: ["features/describe", "features/resource-tools", "features/skills", "features/toolsets"],
  },
];

/** The options of features, with the files of the core whose code may name them: those that define options and their types. */
export const FEATURE_OPTIONS = {
  adapt: ["server/options.ts"],
  cluster: ["server/options.ts", "server/server.ts"],
  maxResult: ["server/options.ts", "tools/define.ts"],
  resourceTools: ["server/options.ts"],
  servers: ["server/options.ts"],
  skills: ["server/options.ts"],
  task: ["calls/question.ts", "questions/context.ts", "support/seal.ts", "tools/define.ts"],
  tasks: ["server/limits.ts", "server/overrides.ts"],
  telemetry: [],
  toolset: ["catalog/registry.ts", "prompts/define.ts", "resources/define.ts", "server/options.ts", "tools/define.ts"],
  toolsets: ["server/options.ts"],
};

const shared = ["derive", "derive/model", "modules", "terminal"];

const cli = {
  "": { purpose: "Arguments and exit codes: `main.ts` and the programs of commands", imports: "all" },
  terminal: { purpose: "Output, errors, tables and prompts", imports: [] },
  derive: {
    purpose: "Types → schemas, codecs, bindings, diagnostics; only this folder imports TypeScript",
    imports: ["derive/comments", "derive/emit", "derive/exports", "derive/model", "derive/program", "derive/types"],
  },
  "derive/model": { purpose: "The data of a derivation, and its diagnostics", imports: [] },
  "derive/program": { purpose: "Compiler programs: hosts, options, resolution", imports: [] },
  "derive/comments": { purpose: "Comments and tags of functions and values", imports: ["derive/model"] },
  "derive/types": {
    purpose: "Types → schemas and codecs",
    imports: ["derive/comments", "derive/model", "derive/program"],
  },
  "derive/exports": {
    purpose: "Exports of a module → tools, prompts and resources",
    imports: ["derive/comments", "derive/model", "derive/program", "derive/types"],
  },
  "derive/emit": { purpose: "JavaScript and the manifest of a module", imports: ["derive/exports", "derive/program"] },
  modules: { purpose: "Loads an author's module, and caches its manifest", imports: ["derive", "terminal"] },
  build: { purpose: "`proffer build`: the output folder", imports: shared },
  profiles: { purpose: "Facts about clients, and tools and results as their models see them", imports: ["terminal"] },
  client: {
    purpose: "list, call, read and prompt: a client in the terminal",
    imports: [...shared, "login", "profiles"],
  },
  describe: {
    purpose: "Modules and artifacts that are only described: placeholders of settings, the start of what was written",
    imports: [...shared, "client"],
  },
  dev: { purpose: "`proffer dev`: watches, derives and serves again", imports: shared },
  doctor: {
    purpose: "`proffer doctor`: findings about a module or server",
    imports: [...shared, "install", "profiles"],
  },
  install: { purpose: "`proffer install`: the configuration of clients", imports: shared },
  login: { purpose: "`proffer login`: the file with the credentials of servers", imports: [...shared, "install"] },
  lock: { purpose: "`proffer lock`: changes that break clients", imports: shared },
  pack: { purpose: "`proffer pack`: MCPB files", imports: shared },
  types: { purpose: "`proffer types`: the interface of a server in TypeScript", imports: ["terminal"] },
  recordings: { purpose: "Recorded messages: files, saved calls, replay", imports: [...shared, "client", "install"] },
  lab: {
    purpose: "`proffer try`: real clients in an enclosure, with a scripted model and the server behind a tap",
    imports: [...shared, "recordings"],
  },
  "lab/model": { purpose: "The scripted model behind the APIs of four vendors" },
  inspect: {
    purpose: "`proffer inspect`: a module as the inspector needs it",
    imports: [...shared, "client", "dev", "doctor", "install", "login", "profiles", "recordings"],
  },
};

const inspector = {
  "": {
    purpose: "The server of the page: routes, events, access",
    imports: [],
    packages: ["node:*", "proffer", "proffer/*"],
  },
  protocol: { purpose: "The types that page and Node share" },
  support: { purpose: "The interface of the host, and refused requests" },
  calls: { purpose: "Calls of the page, their history, and checks of the messages" },
  connections: { purpose: "Clients of the target, and its offer to them" },
  copy: { purpose: "A call as a command, a request, a test, a configuration" },
  page: { purpose: "The page, in preact: browser only", imports: [], packages: ["preact", "preact/hooks"] },
  "page/form": { purpose: "Forms from schemas, and the editor of JSON" },
  "page/panes": { purpose: "The pane of an item: arguments, call, answer; earlier calls" },
  "page/parts": { purpose: "Elements that all panes use: tabs, links, buttons" },
  "page/result": { purpose: "Results: content, differences, problems" },
  "page/shell": { purpose: "The frame: header, lists, keys" },
  "page/side": { purpose: "The side pane: copies, differences, findings" },
  "page/state": { purpose: "The state of the page, its address, and requests to Node" },
  "page/text": { purpose: "Values of JSON, and texts of numbers, times and differences" },
  "page/wire": { purpose: "The messages: timeline, filters, pairs" },
};

cli.commands = { purpose: "One file for each command", imports: Object.keys(cli).filter(isForCommands) };

/** The folders that have a list, except the insides of derivation. */
function isForCommands(folder) {
  return folder !== "" && cli[folder].imports !== undefined && !/^derive\/(?!model)/.test(folder);
}

export const PACKAGES = {
  "packages/proffer/src": { folders: proffer, core, exceptions: profferExceptions },
  "packages/cli/src": { folders: cli, core: [], exceptions: [] },
  "packages/inspector/src": { folders: inspector, core: [], exceptions: [] },
};
