import { headersOf, initializeOf, MODERN, REVISIONS, requestOf } from "../wire.mjs";

const SESSIONS = REVISIONS.slice(1, -1);

/** Opens sessions and leaves them, some before the handshake is complete, some with a stream. */
export async function leaveSessions(arena) {
  await arena.times(20, async (at) => {
    if (at % 2 === 0) {
      const attacker = arena.attacker(arena.random.pick(SESSIONS));
      await arena.post(initializeOf(attacker.revision), attacker);
      return;
    }
    const visitor = await arena.visitor(arena.random.pick(SESSIONS));
    if (at % 4 === 1) return;
    const stream = await listen(arena, visitor);
    await arena.pause(200);
    stream.destroy();
  });
}

/** Uses the session of another principal, which must not exist for the attacker. */
export async function stealSession(arena) {
  const victim = { ...arena.attacker(arena.random.pick(SESSIONS)), token: arena.random.secret() };
  const { headers } = await arena.post(initializeOf(victim.revision), { ...victim, secret: victim.token });
  const session = headers["mcp-session-id"];
  const thief = { ...arena.attacker(victim.revision), session };
  if (session === undefined) return;
  const answers = [await arena.post(arena.call(thief, "echo"), thief)];
  for (const method of ["GET", "DELETE"]) {
    const response = await arena.send({ method, headers: headersOf({}, thief) });
    response.destroy();
    answers.push({ status: response.statusCode });
  }
  for (const { status } of answers) {
    if (status === 200) arena.tally.wrong("A session was used by another principal.");
  }
}

/** Subscribes to many resources and drops the stream. */
export async function dropSubscriptions(arena) {
  const modern = arena.attacker(MODERN);
  await arena.times(10, async (at) => {
    const resourceSubscriptions = [`note://${modern.secret}/${at}`];
    const notifications = { toolsListChanged: true, resourceSubscriptions };
    const message = requestOf(MODERN, at, "subscriptions/listen", { notifications });
    const response = await arena.begin(JSON.stringify(message), { ...modern, message });
    response.setEncoding("utf8").on("data", (text) => arena.tally.received(text, modern.secret));
    await arena.post(arena.call(modern, "touch"), modern);
    await arena.pause(300);
    response.destroy();
  });
  const visitor = await arena.visitor(arena.random.pick(SESSIONS));
  const stream = await listen(arena, visitor);
  await arena.times(20, (at) => {
    const message = requestOf(visitor.revision, at, "resources/subscribe", { uri: `note://${visitor.secret}/${at}` });
    return arena.post(message, visitor);
  });
  await arena.post(arena.call(visitor, "touch"), visitor);
  stream.destroy();
}

/** Cancels calls, also ones that are unknown, finished or canceled already; the newest revision by disconnecting. */
export async function cancel(arena) {
  const visitor = await arena.visitor(arena.random.pick(SESSIONS));
  await arena.times(10, async (at) => {
    const stop = new AbortController();
    const message = arena.call(visitor, "linger", {}, at);
    const answer = arena.begin(JSON.stringify(message), { ...visitor, message, stop: stop.signal });
    answer.catch(() => {});
    for (const requestId of [at, at, String(at), 1000 + at, 0]) {
      await arena.pause(10);
      await arena.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }, visitor);
    }
    stop.abort();
  });
  const modern = arena.attacker(MODERN);
  await arena.times(10, async () => {
    const stop = new AbortController();
    const message = arena.call(modern, "linger");
    const answer = arena.begin(JSON.stringify(message), { ...modern, message, stop: stop.signal });
    answer.catch(() => {});
    await arena.pause(50);
    stop.abort();
  });
}

/** Opens the stream of a session. */
async function listen(arena, visitor) {
  const stream = await arena.send({ method: "GET", headers: headersOf({}, visitor) });
  stream.setEncoding("utf8").on("data", (text) => arena.tally.received(text, visitor.secret));
  return stream;
}
