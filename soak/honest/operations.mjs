import assert from "node:assert/strict";
import { LARGE_TEXT, NOTES, TOOLS } from "../server/definition.mjs";
import { FORMS_SINCE, MODERN } from "../wire.mjs";

const UNKNOWN = -32602;

/**
 * The operations of an honest client. Each one throws if an answer is not exactly the expected one.
 * @type {{ [name: string]: (caller: { client, secret, random }) => Promise<void> }}
 */
const OPERATIONS = {
  async echo({ client, secret }) {
    assert.equal(textOf(await client.call("echo", { secret })), secret);
  },
  async "large echo"({ client, secret, random }) {
    const text = secret + "x".repeat(random.below(50_000));
    assert.equal(textOf(await client.call("echo", { secret: text })), text);
  },
  async "parallel echoes"({ client, secret }) {
    const texts = Array.from({ length: 8 }, (_, at) => `${secret} ${at}`);
    const results = await Promise.all(texts.map((text) => client.call("echo", { secret: text })));
    assert.deepEqual(results.map(textOf), texts);
  },
  async progress({ client, secret, random }) {
    const turns = random.below(5);
    const seen = [];
    const onProgress = ({ progress, message = secret }) => seen.push([progress, message]);
    const result = await client.call("work", { secret, turns }, { onProgress, logLevel: "info" });
    assert.equal(textOf(result), secret);
    assert.deepEqual(
      seen,
      Array.from({ length: turns }, (_, at) => [at + 1, secret]),
    );
  },
  async prompt({ client, secret }) {
    const { messages } = await client.get("recall", { secret });
    assert.equal(messages[0].content.text, `Recall ${secret}.`);
  },
  async read({ client, secret, random }) {
    const number = random.below(NOTES);
    const { contents } = await client.read(`note://${secret}/${number}`);
    assert.equal(contents[0].text, `${secret} wrote note ${number}.`);
  },
  async "read a file"({ client }) {
    const { contents } = await client.read("docs://small.txt");
    assert.equal(contents[0].text, "A small file.");
  },
  async "read a large text"({ client }) {
    const { contents } = await client.read("text://large");
    assert.ok(contents[0].text === LARGE_TEXT, "the large text differs");
  },
  async "list tools"({ client }) {
    assert.deepEqual((await client.listTools()).map(({ name }) => name).sort(), [...TOOLS].sort());
  },
  async "list resources"({ client, secret }) {
    const uris = (await client.listResources()).map(({ uri }) => uri).filter((uri) => uri.startsWith("note:"));
    assert.deepEqual(
      uris,
      Array.from({ length: NOTES }, (_, at) => `note://${secret}/${at}`),
    );
  },
  async complete({ client, secret }) {
    const values = await client.complete({ type: "ref/prompt", name: "recall" }, "secret", secret);
    assert.deepEqual(values, [`${secret}-a`, `${secret}-b`]);
  },
  async subscribe({ client, secret }) {
    const uri = `note://${secret}/0`;
    const stop = await client.listen({ uris: [uri] });
    const updated = client.waitFor("notifications/resources/updated");
    assert.equal(textOf(await client.call("touch", { secret })), secret);
    assert.equal((await updated).params.uri, uri);
    await stop.close();
  },
  async sample({ client, secret }) {
    assert.equal(textOf(await client.call("sample", { secret })), `${secret} sampled`);
  },
  async roots({ client, secret }) {
    assert.equal(textOf(await client.call("roots", { secret })), `${secret} file:///home`);
  },
  async cancel({ client, secret }) {
    const stop = new AbortController();
    const call = client.call("wait", { secret }, { signal: stop.signal, onProgress: () => stop.abort() });
    await assert.rejects(call, { name: "AbortError" });
    assert.equal(textOf(await client.call("echo", { secret })), secret);
  },
  async "unknown tool"({ client }) {
    await assert.rejects(client.call("nothing"), { code: UNKNOWN });
  },
  async "invalid arguments"({ client, secret }) {
    assert.equal((await client.call("work", { secret, turns: -1 })).isError, true);
  },
};

/** The operations that need forms. */
const FORMS = {
  async ask({ client, secret }) {
    assert.equal(textOf(await client.call("ask", { secret })), `${secret} next`);
  },
  async dialogue({ client, secret }) {
    assert.equal(textOf(await client.call("dialogue", { secret })), `${secret} stepped first second`);
  },
};

/** The operations of the revision that has tasks. */
const TASKS = {
  async task({ client, secret }) {
    const task = await client.startTask("brief", { secret });
    assert.equal(textOf(await task.result()), secret);
  },
};

/** Returns the operations that a revision supports, as names and functions. */
export function operationsOf(revision) {
  return Object.entries({
    ...OPERATIONS,
    ...(revision >= FORMS_SINCE && FORMS),
    ...(revision === MODERN && TASKS),
  });
}

/** Answers the questions that the tools ask. */
export function answer({ method, params }) {
  if (method === "roots/list") return { roots: [{ uri: "file:///home", name: "home" }] };
  if (method === "sampling/createMessage") {
    return { role: "assistant", model: "soak", content: { type: "text", text: "sampled" } };
  }
  const [, word] = /^(?:What )?(\w+),/.exec(params.message);
  return { word: word.toLowerCase() };
}

function textOf({ content }) {
  return content[0].text;
}
