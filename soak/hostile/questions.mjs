import { once } from "node:events";
import {
  FORMS_SINCE,
  headersOf,
  INITIALIZED,
  initializeOf,
  MODERN,
  REVISIONS,
  readEvents,
  requestOf,
} from "../wire.mjs";

const QUESTION = /"method":"(elicitation\/create|sampling\/createMessage|roots\/list)"/;
/** The revisions where a call stays open while the user is asked, over Streamable HTTP. */
const OPEN = REVISIONS.slice(1, -1);

/** Disconnects from calls once their question has arrived, and never answers. */
export async function abandon(arena) {
  const visitor = await arena.visitor(arena.random.pick(OPEN));
  await arena.times(15, async (at) => {
    const message = arena.call(visitor, kindOf(arena, visitor.revision), {}, at);
    const response = await arena.begin(JSON.stringify(message), { ...visitor, message });
    await untilQuestion(arena, response, visitor);
    response.destroy();
  });
}

/** The same over the SSE pair, whose stream carries all questions. */
export async function abandonPair(arena) {
  const attacker = arena.attacker("2024-11-05");
  const headers = headersOf({}, attacker);
  const stream = await arena.send({ method: "GET", path: "/mcp/sse", headers });
  let questions = 0;
  const endpoint = new Promise((resolve) => {
    void readEvents(stream, (name, data) => {
      arena.tally.received(data, attacker.secret);
      if (name === "endpoint") resolve(`/mcp/${data}`);
      else if (QUESTION.test(data) && ++questions >= 10) stream.destroy();
    });
  });
  const path = await Promise.race([endpoint, once(stream, "close")]);
  await arena.post(initializeOf(attacker.revision), attacker, path);
  await arena.post(INITIALIZED, attacker, path);
  await arena.times(10, (at) => {
    const message = arena.call(attacker, arena.random.pick(["sample", "roots"]), {}, at + 1);
    return arena.post(message, attacker, path);
  });
  if (!stream.closed) await Promise.race([once(stream, "close"), arena.pause(1000)]);
  stream.destroy();
}

/** Answers questions of 2026-07-28 with states that were modified, or that another principal received. */
export async function tamperWithStates(arena) {
  const attacker = arena.attacker(MODERN);
  const call = arena.call(attacker, "ask");
  const { text } = await arena.post(call, attacker);
  const { inputRequests, requestState } = JSON.parse(text).result ?? {};
  // Refused because the attacker is over its share.
  if (requestState === undefined) return;
  const [key] = Object.keys(inputRequests);
  const retry = async (state, by) => {
    const inputResponses = { [key]: { action: "accept", content: { word: "x" } } };
    const params = { ...call.params, inputResponses, requestState: state };
    const answer = await arena.post({ ...call, params }, by);
    if (answer.text.includes('"result"')) arena.tally.wrong(`A state was accepted: ${answer.text.slice(0, 300)}`);
  };
  await arena.times(10, () => retry(modify(requestState, arena.random), attacker));
  const other = { ...attacker, token: arena.random.secret() };
  await retry(requestState, other);
}

/** Continues lists with cursors that were modified, or that another principal received. */
export async function tamperWithCursors(arena) {
  const visitor = await arena.visitor();
  const list = (cursor) => listOf(visitor, cursor);
  const { nextCursor } = JSON.parse((await arena.post(list(), visitor)).text).result ?? {};
  if (nextCursor === undefined) return;
  await arena.times(10, async () => {
    const { text } = await arena.post(list(modify(nextCursor, arena.random)), visitor);
    if (text.includes('"result"')) arena.tally.wrong(`A modified cursor was accepted: ${text.slice(0, 300)}`);
  });
  const other = arena.attacker(MODERN);
  await arena.post(listOf(other, nextCursor), other);
}

function listOf({ revision }, cursor) {
  return requestOf(revision, 1, "resources/list", cursor === undefined ? {} : { cursor });
}

/** Changes one character, but not the last one, whose lowest bits may mean nothing in base64. */
function modify(text, random) {
  const at = random.below(text.length - 1);
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
}

function kindOf({ random }, revision) {
  return random.pick(revision >= FORMS_SINCE ? ["ask", "dialogue", "sample", "roots"] : ["sample", "roots"]);
}

/** Resolves when a question has arrived, or the response has ended without one. */
function untilQuestion(arena, response, { secret }) {
  return new Promise((resolve) => {
    response.setEncoding("utf8").on("data", (text) => {
      arena.tally.received(text, secret);
      if (QUESTION.test(text)) resolve();
    });
    response.once("close", resolve);
  });
}
