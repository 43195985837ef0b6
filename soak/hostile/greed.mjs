import { headersOf, INITIALIZED, initializeOf, MODERN, REVISIONS } from "../wire.mjs";

const SESSIONS = REVISIONS.slice(1, -1);
const TASKS = {
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** Opens many sessions of one address without a principal, and keeps each one busy with a question or a stream. */
export async function occupySessions(arena) {
  const revision = arena.random.pick(SESSIONS);
  const attacker = { revision, secret: arena.random.secret() };
  await arena.times(30, async (at) => {
    const { headers } = await arena.post(initializeOf(revision), attacker);
    const visitor = { ...attacker, session: headers["mcp-session-id"] };
    if (visitor.session === undefined) return;
    await arena.post(INITIALIZED, visitor);
    const stop = new AbortController();
    const message = arena.call(visitor, at % 2 === 0 ? "ask" : "linger");
    const busy =
      at % 3 === 0
        ? arena.send({ method: "GET", headers: headersOf({}, visitor), signal: stop.signal })
        : arena.begin(JSON.stringify(message), { ...visitor, message, stop: stop.signal });
    busy.catch(() => {});
    await arena.pause(1000);
    stop.abort();
  });
}

/** Sends texts that make a backtracking engine try every way to match. */
export async function backtrack(arena) {
  const attacker = arena.attacker();
  await arena.times(10, (at) => {
    const slug = `${"a".repeat(600 * (at + 1))}!`;
    return arena.post(arena.call(attacker, "slug", { slug }), attacker);
  });
}

/** Asks for results that are too large for a model and have no line to cut them at. */
export async function askForLongLines(arena) {
  const attacker = arena.attacker();
  await arena.times(5, () => arena.post(arena.call(attacker, "line", { length: 1_000_000 }), attacker));
}

/** Cancels calls whose handlers run on, and calls again. */
export async function outlive(arena) {
  const attacker = arena.attacker(MODERN);
  await arena.times(30, async () => {
    const stop = new AbortController();
    const message = arena.call(attacker, "deaf");
    const answer = arena.begin(JSON.stringify(message), { ...attacker, message, stop: stop.signal });
    answer.catch(() => {});
    await arena.pause(50);
    stop.abort();
  });
}

/** Starts tasks that run for as long as they may, more than a node works on at once. */
export async function starveTasks(arena) {
  const attacker = arena.attacker(MODERN);
  await arena.times(40, () => arena.post(arena.call(attacker, "hold", {}, 1, TASKS), attacker));
}
