import { once } from "node:events";
import { headersOf, JSON_REQUEST, requestOf } from "../wire.mjs";

/** Sends many requests on one connection and reads the answers. */
export async function floodRequests(arena) {
  const attacker = arena.attacker();
  const bytes = arena.bytesOf(arena.call(attacker, "echo"), attacker);
  const socket = await arena.connect();
  let left = 300;
  let rest = "";
  socket.setEncoding("latin1").on("data", (text) => {
    arena.tally.received(rest + text, attacker.secret);
    left -= text.split("HTTP/1.1 ").length - 1;
    rest = text.slice(-20);
    if (left <= 0) socket.destroy();
  });
  socket.write(Buffer.concat(Array(left).fill(bytes)));
  await Promise.race([once(socket, "close"), arena.pause(5000)]);
  socket.destroy();
}

/** Makes many calls at once that do not end. */
export async function floodCalls(arena) {
  const attacker = arena.attacker();
  const bytes = arena.bytesOf(arena.call(attacker, "linger"), attacker);
  const sockets = [];
  await arena.times(5, async () => {
    const socket = await arena.connect();
    sockets.push(socket);
    socket.resume().write(Buffer.concat(Array(30).fill(bytes)));
  });
  await arena.pause(2000);
  for (const socket of sockets) socket.destroy();
}

const MALFORMED = [
  "",
  "{",
  "nonsense",
  "[]",
  "[[]]",
  "null",
  '"x"',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
  '{"jsonrpc":"2.0","id":1,"result":{},"method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/unknown"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(1000)}${"]".repeat(1000)}}`,
];

/** Returns a message that is not valid: one of the known kinds, or a valid one with random bytes in it. */
export function malformed(arena, message) {
  const { random } = arena;
  if (random.below(2) === 0) return random.pick(MALFORMED);
  const bytes = Buffer.from(JSON.stringify(message));
  random.bytes(4).copy(bytes, random.below(bytes.length));
  return bytes.toString("latin1");
}

/** Sends messages that are not valid, and bytes that are not HTTP. */
export async function floodMalformed(arena) {
  const attacker = arena.attacker();
  const call = arena.call(attacker, "echo");
  const headers = headersOf({}, attacker);
  const socket = await arena.connect();
  socket.resume();
  for (let left = 100; left > 0 && !socket.destroyed; left--)
    socket.write(arena.rawBytes(headers, malformed(arena, call)));
  await arena.pause(200);
  socket.destroy();
  await arena.times(3, async () => {
    const garbage = await arena.connect();
    garbage.resume().write(arena.random.bytes(500));
    await arena.pause(200);
    garbage.destroy();
  });
}

/** Sends bodies beyond the limit: announced, unannounced, and endless. */
export async function sendTooMuch(arena) {
  const attacker = arena.attacker();
  const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
  const announced = arena.rawBytes({ ...JSON_REQUEST, "content-length": 64 * 1024 * 1024 }, "x");
  const chunked = { ...JSON_REQUEST, "transfer-encoding": "chunked", "content-length": "0" };
  const unannounced = arena.rawBytes(chunked, "").toString().replace("content-length: 0\r\n", "");
  for (const head of [announced, unannounced]) {
    const socket = await arena.connect();
    socket.resume().write(head);
    for (let left = 10; left > 0 && !socket.destroyed; left--) {
      await new Promise((resolve) => socket.write(chunk, resolve));
    }
    socket.destroy();
  }
  const { status } = await arena.post(`"${"x".repeat(5 * 1024 * 1024)}"`, attacker);
  if (status === 200) arena.tally.wrong("A body beyond the limit was accepted.");
}

/** Sends requests with equal ids at once, in one session. */
export async function repeatIds(arena) {
  const visitor = await arena.visitor();
  await arena.times(20, () => arena.post(arena.call(visitor, "work", { turns: 3 }), visitor));
  await arena.times(5, () => arena.post(requestOf(visitor.revision, 1, "tools/list"), visitor));
}
