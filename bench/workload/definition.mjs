// What every server registers and answers. No dependencies: the raw limits import this file and little else.
import { readFile, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

const KiB = 1024;
export const TEXT_1K = 'All work and no play. "quoted" \n'.repeat(32).slice(0, KiB);
export const text1M = once(() => TEXT_1K.repeat(KiB));
const bytes1M = once(() => Buffer.alloc(KiB * KiB, 0xa5));
/** 1 MiB of bytes are 1.33 MiB of base64. */
export const blob1M = once(() => bytes1M().toString("base64"));

/** How many questions a dialogue has. */
export const QUESTIONS = 20;

/** The n-th question of a dialogue. */
export function questionText(n) {
  return `Question ${n + 1} of ${QUESTIONS}?`;
}

/** What a dialogue says in the end. */
export function dialogueText(values) {
  return `${values.length} answers: ${values.join(" ")}`;
}

/** What each kind of tool answers, as text. */
export const TOOL_TEXTS = {
  echo: ({ message }) => message,
  nested: ({ items }) => `${items.length} items, sum ${items.reduce((sum, item) => sum + item.pos.x, 0)}`,
};

/** The result of a tool in the shape of the protocol, for servers whose handlers must give it. */
export function textResult(text) {
  return { content: [{ type: "text", text }] };
}

/** The contents of a resource in the shape of the protocol. */
export function contentsOf({ uri, mimeType, text, blob, compute }) {
  if (text !== undefined) return { uri, mimeType, text };
  if (blob !== undefined) return { uri, mimeType, blob };
  const value = compute();
  return typeof value === "string" ? { uri, mimeType, text: value } : { uri, mimeType, blob: value.toString("base64") };
}

/**
 * What a server of a profile registers. `kind` picks the schema and the text of a tool; the `text` or `blob` (which
 * stands for `bytes`) of a resource never changes, what `compute` gives might. `read` makes the text of a template's
 * instance, as authors write it; `textNow` and `readPlain` are the same for the raw limits, without a promise or without
 * care.
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

/** Makes a value when it is first asked for: what makes none of the large ones starts without them. */
function once(make) {
  let value;
  return () => {
    value ??= make();
    return value;
  };
}

/** What a profile adds to the common definition; one that is not here adds nothing. */
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

/** The entry of a large list that has this position. */
export function rowAt(position) {
  const number = String(position).padStart(7, "0");
  return { uri: `row://${number}`, name: `Row ${number}`, mimeType: "text/plain" };
}

/** The position of a row of a large list. */
export function positionOf(uri) {
  return Number(uri.slice("row://".length));
}

/** The least that a careful author does: no link leads out of the folder. */
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
