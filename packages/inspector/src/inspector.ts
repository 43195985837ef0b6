import { Calls } from "./calls/calls.ts";
import { History } from "./calls/history.ts";
import { Subscriptions } from "./calls/subscriptions.ts";
import { WireChecks } from "./calls/wire-checks.ts";
import { Connections } from "./connections/connections.ts";
import { Offers } from "./connections/offers.ts";
import { EventStreams } from "./event-streams.ts";
import { createHandlers } from "./page-handlers.ts";
import type { InspectorEvent } from "./protocol/api.ts";
import type { CallState, Connection, Edit } from "./protocol/data.ts";
import { createRoutes } from "./routes.ts";
import { startServer } from "./server.ts";
import { ApiProblem } from "./support/api-problem.ts";
import type { InspectorHost, MessageRecord, ServerLinks } from "./support/host.ts";

/** A running inspector. */
export interface Inspector {
  /** The address of the page, with its secret. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the first connection was made or has failed. */
  readonly started: Promise<void>;
  connection(): Connection;
  /** Shows an edit. The server notifies of lists that it changed. */
  edited(edit: Edit): void;
  /** Asks the host for the places of the items again. */
  relocate(): void;
  /** Shows output of the server. */
  addOutput(text: string): void;
  close(): Promise<void>;
}

const RECORDED: Connection = { state: "connected" };

/** The end of the server's output that is kept, in UTF-16 code units. */
const MAX_OUTPUT = 1024 * 1024;

/**
 * Starts the inspector of a target: its connections and the server of its page.
 * @param port - the first port to try. If it is taken, the next free one is used.
 */
export async function startInspector(host: InspectorHost, port?: number): Promise<Inspector> {
  const { target, links, record } = host;
  const { mask } = record;
  const streams = new EventStreams((line) => mask.text(line));
  const send = (event: InspectorEvent) => streams.send(event);
  let output = "";
  let lastEdit: InspectorEvent | undefined;

  function addOutput(text: string): void {
    const kept = mask.text(text).slice(-MAX_OUTPUT);
    output = (output + kept).slice(-MAX_OUTPUT);
    send({ kind: "stderr", text: kept });
  }

  const offers: Offers = new Offers(
    async (revision) => {
      if (calling === undefined) throw new ApiProblem(400, "recording", "A recording has no server to call.");
      return calling.connections.use(revision);
    },
    (offer) => send({ kind: "offer", offer }),
    (connected, again) => void calling?.connections.checkAfter(connected, again),
    host.code,
  );
  const checks = new WireChecks(
    (revision) => offers.find(revision),
    () => send({ kind: "findings", findings: checks.findings() }),
  );
  const calling = links && createCalling(host, links, { offers, checks, send, addOutput });
  observeRecord(record, checks, send);

  function* known(): Iterable<InspectorEvent> {
    const revisions = calling?.connections.revisions ?? [];
    const abilities = {
      source: host.code !== undefined,
      calls: links !== undefined,
      keepsHistory: host.history !== undefined,
      saves: host.saveCall !== undefined,
    };
    yield { kind: "hello", version: host.version, target, abilities, revisions, profiles: host.profiles.ids };
    yield { kind: "connection", connection: calling?.connections.state ?? RECORDED, revisions };
    for (const offer of offers.known()) yield { kind: "offer", offer };
    for (const lane of record.lanes()) yield { kind: "lane", lane };
    for (const line of record.lines()) yield { kind: "line", line };
    for (const call of calling?.calls.states() ?? []) yield { kind: "call", call };
    yield* calling?.subscriptions.events() ?? [];
    if (output !== "") yield { kind: "stderr", text: output };
    if (lastEdit !== undefined) yield lastEdit;
    yield { kind: "findings", findings: checks.findings() };
    yield { kind: "ready" };
  }

  const respond = createRoutes(createHandlers({ host, offers, calling }));
  const server = await startServer(
    {
      async respond(name, input) {
        try {
          return mask.json(await respond(name, input));
        } catch (error) {
          if (!(error instanceof ApiProblem)) throw error;
          // A server may repeat a secret in the message of an error.
          throw new ApiProblem(error.status, error.code, mask.text(error.message), error.remedy);
        }
      },
      stream: (response) => streams.open(response, known()),
    },
    port,
  );
  return {
    url: server.url,
    port: server.port,
    started: calling?.connections.start() ?? Promise.resolve(),
    connection: () => calling?.connections.state ?? RECORDED,
    edited(edit) {
      if (edit.how === "applied") checks.clear();
      lastEdit = { kind: "edit", edit, at: Date.now() };
      send(lastEdit);
    },
    relocate: () => offers.relocate(),
    addOutput,
    async close() {
      calling?.calls.cancelAll();
      await calling?.connections.close();
      streams.close();
      await server.close();
    },
  };
}

interface Shown {
  readonly offers: Offers;
  readonly checks: WireChecks;
  send(event: InspectorEvent): void;
  addOutput(text: string): void;
}

/** Creates the parts for a server that can be called. */
function createCalling(host: InspectorHost, links: ServerLinks, { offers, checks, send, addOutput }: Shown) {
  const subscriptions = new Subscriptions(send);
  const connections: Connections = new Connections(host.target.name, links, host.record, {
    changed(connection, revisions) {
      if (connection.state !== "connected") {
        subscriptions.clear();
        checks.clear();
      }
      send({ kind: "connection", connection, revisions });
    },
    opened({ revision }) {
      offers.read(revision).catch(() => {});
      for (const { revision: other } of offers.known()) if (other !== revision) offers.read(other).catch(() => {});
    },
    notified(connected, { method, params }) {
      offers.notified(connected, method);
      subscriptions.notified(connected, method, params);
    },
    stderr(text) {
      host.showOutput(text);
      addOutput(text);
    },
    asked: (connected, asked) => calls.asked(connected, asked),
  });
  const history = new History(host.history, () => send({ kind: "history" }));
  const onCall = (call: CallState) => {
    send({ kind: "call", call });
    if (call.ms !== undefined) history.add(call);
  };
  const calls: Calls = new Calls(connections, offers, host.record, onCall, host.trace);
  return { connections, calls, subscriptions, history };
}

/** Checks all messages of the record and shows each new one. */
function observeRecord(record: MessageRecord, checks: WireChecks, send: (event: InspectorEvent) => void): void {
  /** A hostile server may send large messages: each is checked in a turn of its own, so that requests need not wait. */
  const unchecked: number[] = [];
  function checkNext(): void {
    const message = record.get(unchecked.shift() ?? 0);
    if (message !== undefined) checks.look(message);
    if (unchecked.length > 0) setImmediate(checkNext);
  }
  function check(n: number): void {
    if (unchecked.push(n) === 1) setImmediate(checkNext);
  }
  for (const { n } of record.lines()) check(n);
  record.observe({
    line(line) {
      send({ kind: "line", line });
      check(line.n);
    },
    lane: (lane) => send({ kind: "lane", lane }),
    cleared() {
      send({ kind: "cleared" });
      checks.clear();
    },
  });
}
