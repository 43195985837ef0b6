// The items and results of every server. No dependencies: the raw baselines import this file and little else.
import { readFile, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

const KiB = 1024;
export const TEXT_1K = 'All work and no play. "quoted" \n'.repeat(32).slice(0, KiB);
export const text1M = once(() => TEXT_1K.repeat(KiB));
const bytes1M = once(() => Buffer.alloc(KiB * KiB, 0xa5));
/** 1 MiB of bytes is 1.33 MiB of base64. */
export const blob1M = once(() => bytes1M().toString("base64"));

/** Number of questions in a dialogue. */
export const QUESTIONS = 20;

/** The n-th question of a dialogue. */
export function questionText(n) {
  return `Question ${n + 1} of ${QUESTIONS}?`;
}

/** Returns the result text of a dialogue. */
export function dialogueText(values) {
  return `${values.length} answers: ${values.join(" ")}`;
}

/** The result text of each kind of tool. */
export const TOOL_TEXTS = {
  echo: ({ message }) => message,
  nested: ({ items }) => `${items.length} items, sum ${items.reduce((sum, item) => sum + item.pos.x, 0)}`,
};

/** Returns a tool result in the shape of the protocol, for servers whose handlers must return it. */
export function textResult(text) {
  return { content: [{ type: "text", text }] };
}

/** Returns the contents of a resource in the shape of the protocol. */
export function contentsOf({ uri, mimeType, text, blob, compute }) {
  if (text !== undefined) return { uri, mimeType, text };
  if (blob !== undefined) return { uri, mimeType, blob };
  const value = compute();
  return typeof value === "string" ? { uri, mimeType, text: value } : { uri, mimeType, blob: value.toString("base64") };
}

/**
 * Returns the items that a server with this profile registers. `kind` picks the schema and the text of a tool. The
 * `text` or `blob` (base64 of `bytes`) of a resource never changes; the value of `compute` might. `read` returns the
 * text of a template's instance, as authors write it; `textNow` and `readPlain` do the same for the raw baselines,
 * without a promise or without safety checks.
 */
export function definitionOf(profile) {
  const definition = {
    tools: [
      { name: "echo", description: "Echo a message", kind: "echo" },
      { name: "nested", description: "Sum a list of items", kind: "nested" },
    ],
    resources: profile === "start" ? [] : contents(),
    templates: [itemTemplate("item")],
  };
  PROFILES[profile]?.(definition);
  return definition;
}

function contents() {
  const blob = { mimeType: "application/octet-stream" };
  return [
    { uri: "text://1k", name: "text 1 KiB", mimeType: "text/plain", text: TEXT_1K },
    { uri: "text://1m", name: "text 1 MiB", mimeType: "text/plain", text: text1M() },
    { uri: "blob://1m", name: "blob 1 MiB", ...blob, blob: blob1M(), bytes: bytes1M() },
    { uri: "computed://text", name: "computed text", mimeType: "text/plain", compute: text1M },
    { uri: "computed://blob", name: "computed blob", ...blob, compute: bytes1M },
  ];
}

/** Computes a value on first use, so that a start does not compute large values that it does not need. */
function once(make) {
  let value;
  return () => {
    value ??= make();
    return value;
  };
}

/** Additions of each profile to the common definition; other profiles add nothing. */
const PROFILES = {
  tools100({ tools }) {
    for (let i = tools.length; i < 100; i++) {
      tools.push({ name: `tool_${i}`, description: `Tool number ${i}`, kind: i % 2 ? "nested" : "echo" });
    }
  },
  templates500({ templates }) {
    for (let i = templates.length; i < 500; i++) templates.push(itemTemplate(`item${i}`));
  },
  resources1k: (definition) => addResources(definition, 1_000),
  resources10k: (definition) => addResources(definition, 10_000),
  resources1m(definition) {
    definition.rows = 1_000_000;
    definition.resources = [];
  },
  files(definition) {
    definition.folder = process.env.BENCH_FILES;
    definition.templates.push({
      name: "docs",
      uriTemplate: "docs://{id}",
      mimeType: "text/markdown",
      read: (id) => readConfined(definition.folder, id),
      readPlain: (id) => readFile(join(definition.folder, id), "utf8"),
    });
  },
  dialogue({ tools }) {
    tools.push({ name: "dialogue", description: `Asks ${QUESTIONS} questions`, kind: "dialogue" });
  },
  changes({ tools }) {
    tools.push({ name: "touch", description: "Tells of a change", kind: "touch" });
  },
};

/** Returns the entry of a large list at this position. */
export function rowAt(position) {
  const number = String(position).padStart(7, "0");
  return { uri: `row://${number}`, name: `Row ${number}`, mimeType: "text/plain" };
}

/** Returns the position of an entry of a large list. */
export function positionOf(uri) {
  return Number(uri.slice("row://".length));
}

/** The minimum of a careful author: rejects links that lead out of the folder. */
async function readConfined(folder, name) {
  const path = await realpath(join(folder, name));
  if (!path.startsWith(folder + sep)) throw new Error(`${name} is not in the folder.`);
  return readFile(path, "utf8");
}

function itemTemplate(scheme) {
  const textNow = (id) => `item ${id}`;
  return {
    name: scheme,
    uriTemplate: `${scheme}://{id}`,
    mimeType: "text/plain",
    textNow,
    read: async (id) => textNow(id),
  };
}

function addResources({ resources }, count) {
  for (let i = resources.length; i < count; i++) {
    resources.push({ uri: `res://all/${i}`, name: `Resource ${i}`, mimeType: "text/plain", text: `body ${i}` });
  }
}
