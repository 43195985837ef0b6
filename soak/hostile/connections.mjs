import { once } from "node:events";

/** Disconnects at a random moment of a request or of its response: RST, FIN, or a FIN that leaves the response open. */
export async function cut(arena) {
  const { random } = arena;
  const visitor = await arena.visitor();
  await arena.times(5, async () => {
    const values = random.pick([
      ["echo"],
      ["work", { turns: 20 }],
      ["linger"],
      ["ask"],
      ["echo", { secret: visitor.secret.repeat(200) }],
    ]);
    const bytes = arena.bytesOf(arena.call(visitor, ...values), visitor);
    const socket = await arena.connect({ allowHalfOpen: true });
    socket.on("data", () => {});
    const within = random.below(2) === 0 ? random.below(bytes.length) : bytes.length;
    await new Promise((resolve) => socket.write(bytes.subarray(0, within), resolve));
    await arena.pause(10);
    const end = random.below(3);
    if (end === 0) socket.resetAndDestroy();
    else if (end === 1) socket.destroy();
    else {
      socket.end();
      await arena.pause(500);
      socket.destroy();
    }
  });
}

/** Sends the head or the body of a request one byte at a time. */
export async function writeSlowly(arena) {
  const attacker = arena.attacker();
  const bytes = arena.bytesOf(arena.call(attacker, "echo"), attacker);
  await arena.times(5, async () => {
    const socket = await arena.connect();
    socket.resume();
    const closed = once(socket, "close").then(() => true);
    let at = arena.random.below(bytes.length - 50);
    socket.write(bytes.subarray(0, at));
    for (let left = 30; left > 0 && !socket.destroyed; left--) {
      socket.write(bytes.subarray(at, ++at));
      await Promise.race([closed, arena.pause(200)]);
    }
    socket.destroy();
  });
}

/** Opens connections that send nothing. */
export async function connectSilently(arena) {
  const sockets = await arena.times(10, () => arena.connect());
  await arena.pause(3000);
  for (const { value } of sockets) value?.destroy();
}

/** Starts a response with many events, or a large one, and does not read it. */
export async function readNothing(arena) {
  const visitor = await arena.visitor();
  const { revision } = visitor;
  const work = arena.call(visitor, "work", { turns: 1000 });
  const large = arena.read(revision, "docs://large.bin");
  await arena.times(5, async (at) => {
    const socket = await arena.connect();
    socket.pause();
    socket.write(arena.bytesOf(at % 2 === 0 ? work : large, visitor));
    await arena.pause(3000);
    socket.destroy();
  });
}

/** Asks for many large answers on one connection and reads none, or little by little. */
export async function pipelineLargeReads(arena) {
  const attacker = arena.attacker();
  const uri = arena.random.pick(["docs://large.bin", "text://large"]);
  const bytes = arena.bytesOf(arena.read(attacker.revision, uri), attacker);
  const socket = await arena.connect();
  socket.pause();
  for (let left = 40; left > 0; left--) socket.write(bytes);
  for (let left = 5; left > 0; left--) {
    await arena.pause(500);
    socket.read(64 * 1024);
  }
  socket.destroy();
}
