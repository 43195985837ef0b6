import { once } from "node:events";
import net from "node:net";
import { headersOf, post } from "../lib/http-client.mjs";
import { startServer } from "../lib/server-process.mjs";
import { median } from "../lib/statistics.mjs";
import { request } from "../workload/messages.mjs";

const CHANGED = "text://1k";
const UPDATED = "notifications/resources/updated";
const PATIENCE = 60_000;

/**
 * Measures how a change reaches many clients, each listening on a stream of the newest revision over HTTP.
 * @returns a row for each contender: CPU µs for each notification, milliseconds until all are notified, KiB for each
 * listener; and the ratio of CPU to raw
 */
export async function measureChanges({ contenders, listeners, changes, progress }) {
  const rows = [];
  for (const contender of contenders) {
    try {
      const row = { name: contender.name, ...(await measureOne(contender, listeners, changes)) };
      rows.push(row);
      progress(`${listeners} listeners: ${contender.name} ${row.cpu.toFixed(1)} µs each`);
    } catch (error) {
      progress(`LEFT OUT: listeners of ${contender.name}: ${error.message.slice(0, 400)}`);
    }
  }
  for (const row of rows) row.ratio = row.cpu / rows[0].cpu;
  return rows;
}

async function measureOne(contender, listeners, changes) {
  const server = await startServer(contender, "http", "changes");
  const audience = new Audience(server.port);
  try {
    const before = server.rssMiB;
    await audience.gather(listeners);
    const kib = ((server.rssMiB - before) * 1024) / listeners;
    const figures = [];
    // The first changes warm the code up.
    for (let i = 0; i < 2 * changes; i++) {
      const cpu = server.cpuMicros;
      const begin = performance.now();
      await touch(server.port);
      await audience.heard();
      figures.push({ cpu: (server.cpuMicros - cpu) / listeners, milliseconds: performance.now() - begin });
    }
    const counted = figures.slice(changes);
    return {
      cpu: median(counted.map(({ cpu }) => cpu)),
      milliseconds: median(counted.map(({ milliseconds }) => milliseconds)),
      kib,
    };
  } finally {
    audience.leave();
    await server.stop();
  }
}

async function touch(port) {
  const message = request("modern", 1, "tools/call", { name: "touch", arguments: {} });
  const { json, body } = await post(port, "modern", message);
  if (json?.result?.content === undefined) throw new Error(`wrong answer ${body.slice(0, 300)}`);
}

/** Sockets that listen for notifications and count them. */
class Audience {
  #port;
  #sockets = [];
  #heard = 0;
  #expected = 0;
  #done;

  constructor(port) {
    this.#port = port;
  }

  async gather(count) {
    for (let i = 0; i < count; i++) this.#sockets.push(await this.#listen(i));
  }

  /** Resolves when every listener got one more notification. */
  async heard() {
    this.#expected += this.#sockets.length;
    if (this.#heard >= this.#expected) return;
    let timer;
    const late = () => new Error(`${this.#expected - this.#heard} listeners heard nothing in ${PATIENCE} ms`);
    await new Promise((resolve, reject) => {
      this.#done = resolve;
      timer = setTimeout(() => reject(late()), PATIENCE);
    }).finally(() => clearTimeout(timer));
  }

  leave() {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(i) {
    const params = { notifications: { resourceSubscriptions: [CHANGED] } };
    const message = request("modern", 100_000 + i, "subscriptions/listen", params);
    const body = JSON.stringify(message);
    const headers = { host: "127.0.0.1", ...headersOf("modern", message), "content-length": Buffer.byteLength(body) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = net.connect(this.#port, "127.0.0.1");
    await once(socket, "connect");
    socket.setEncoding("latin1").write(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    let text = "";
    while (!text.includes("acknowledged")) {
      const [chunk] = await once(socket, "data");
      text += chunk;
      if (text.startsWith("HTTP/1.1 4")) throw new Error(`a listener was refused: ${text.slice(0, 300)}`);
    }
    socket.on("data", (chunk) => this.#take(chunk));
    return socket;
  }

  /** A notification is smaller than a TCP segment, so its name never spans two chunks. */
  #take(chunk) {
    this.#heard += chunk.split(UPDATED).length - 1;
    if (this.#heard >= this.#expected) this.#done?.();
  }
}
