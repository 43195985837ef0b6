import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { dirname, join } from "node:path";
import type { Headers } from "proffer/client";
import { WireRecord } from "../recordings/record.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { createEnclosure, type Enclosure, type Ended, pipeTo, placeOf, runEnclosed } from "./enclosure.ts";
import { type ScriptedCall, ScriptedModel } from "./model/scripted-model.ts";
import type { Program } from "./programs.ts";
import { findShown } from "./shown.ts";
import { tapCommand, tapUrl } from "./tap.ts";

/** The server under test: it runs with the rights and the environment of the caller. */
export type TestedServer =
  | { readonly command: readonly string[] }
  | { readonly url: string; readonly headers: Headers };

export interface RunOptions {
  /** The name of the server in the configuration of the client. */
  readonly name: string;
  readonly server: TestedServer;
  readonly calls: readonly ScriptedCall[];
  /** Answers a question of the server, as a person would. */
  readonly answer?: (asked: Asked) => Given;
  /** Seconds for the whole run. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** A question as a client hands it on. */
export interface Asked {
  readonly message: string;
  readonly url?: string;
  readonly schema?: object;
}

/** The answer to a question. */
export interface Given {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: object;
}

/** Everything that was seen in one run. */
export interface Observed {
  readonly record: WireRecord;
  readonly model: ScriptedModel;
  readonly ended: Ended;
  /** Why the client could reach more than loopback. */
  readonly obstacle: string | undefined;
  readonly serverOutput: string;
  /** In milliseconds: the start of the client in the clock of the record, and its time. */
  readonly started: number;
  readonly total: number;
}

/** Starts a client in an enclosure, with the scripted model and the server behind the tap, and waits for its end. */
export async function runClient(program: Program, file: string, options: RunOptions): Promise<Observed> {
  const { name, server, calls, answer, timeout, signal } = options;
  const enclosure = createEnclosure();
  const { folder, obstacle } = enclosure;
  const record = new WireRecord();
  const model = new ScriptedModel(
    calls,
    (tool, shown) => findShown(record, name, tool, shown),
    () => record.now(),
  );
  const modelServer = createServer(model.listener);
  const answers = answer && (await serveAnswers(join(folder, "answers"), answer));
  const place = placeOf(enclosure, "model");
  const socket = join(folder, "stdio");
  const tap =
    "command" in server
      ? await tapCommand(server.command, record, socket)
      : await tapUrl(server.url, server.headers, record, placeOf(enclosure, "server").listen);
  try {
    await once(modelServer.listen(place.listen), "listening");
    const address = modelServer.address();
    const port = place.port ?? (typeof address === "object" ? address?.port : undefined);
    const serverPort = placeOf(enclosure, "server").port ?? ("port" in tap ? tap.port : undefined);
    const { files, args, env } = program.start({
      folder,
      name,
      timeout,
      model: `http://127.0.0.1:${port}`,
      server:
        "command" in server
          ? { command: pipeTo(socket) }
          : { url: `http://127.0.0.1:${serverPort}${new URL(server.url).pathname}` },
      answers: answers && pipeTo(join(folder, "answers")),
    });
    writeFiles(enclosure, files);
    const command = [...(program.isScript ? [process.execPath] : []), file, ...args];
    const started = record.now();
    const ended = await runEnclosed(enclosure, command, env ?? {}, { timeout, signal });
    return { record, model, ended, obstacle, serverOutput: tap.output(), started, total: record.now() - started };
  } finally {
    modelServer.closeAllConnections();
    modelServer.close();
    answers?.close();
    await tap.close();
    enclosure.remove();
  }
}

function writeFiles({ folder }: Enclosure, files: { readonly [path: string]: string | object }): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Answers the questions that a client hands to a hook: one on each connection. */
async function serveAnswers(path: string, answer: (asked: Asked) => Given) {
  const server = createSocketServer({ allowHalfOpen: true }, (socket) => {
    let sent = "";
    // Reading it as an iterable would close it before the answer.
    socket.setEncoding("utf8").on("data", (text: string) => {
      sent += text;
    });
    socket.on("error", () => {});
    socket.on("end", () => {
      const asked = parseJson(sent);
      if (!isObject(asked)) return void socket.end();
      const { message, url, requested_schema: schema } = asked;
      const given = answer({
        message: String(message ?? ""),
        ...(typeof url === "string" && { url }),
        ...(isObject(schema) && { schema }),
      });
      socket.end(JSON.stringify({ hookSpecificOutput: { hookEventName: "Elicitation", ...given } }));
    });
  });
  await once(server.listen(path), "listening");
  return server;
}
