import { PROFILES } from "proffer/profiles";
import { ownVersion } from "../modules/packages.ts";
import { passOn } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";
import { ApiProblem } from "./api-problem.ts";
import { createCallHandlers } from "./call-handlers.ts";
import { Calls } from "./calls/calls.ts";
import { checkValue } from "./calls/check-value.ts";
import { declineQuestion } from "./calls/decline.ts";
import { expandTemplate } from "./calls/expand-template.ts";
import { Subscriptions } from "./calls/subscriptions.ts";
import type { TraceSource } from "./calls/trace.ts";
import { Connections } from "./connections/connections.ts";
import type { Places } from "./connections/offer.ts";
import { Offers } from "./connections/offers.ts";
import type { Opener } from "./connections/opener.ts";
import { EventStreams } from "./event-streams.ts";
import { findProblems, type InspectedModule } from "./findings.ts";
import { costView, profileOf, viewAs } from "./model-view.ts";
import { Output } from "./output.ts";
import type { CallState } from "./protocol/call.ts";
import type { Edit } from "./protocol/edit.ts";
import type { InspectorEvent } from "./protocol/event.ts";
import type { Abilities, Connection, Target } from "./protocol/offer.ts";
import type { Mask } from "./record/mask.ts";
import { WireRecord } from "./record/record.ts";
import { createRoutes, type Handlers } from "./routes.ts";
import { startServer } from "./server.ts";
import { WireChecks } from "./wire-checks/wire-checks.ts";

export interface InspectorOptions {
  readonly target: Target;
  readonly abilities: Abilities;
  /** How to connect to the target; absent for a recording. */
  readonly opener?: Opener;
  readonly record?: WireRecord;
  readonly port?: number | undefined;
  readonly trace?: TraceSource | undefined;
  readonly places?: Places | undefined;
  /** The module of the server, if there is one. */
  readonly module?: InspectedModule | undefined;
  /** The requests of the page that other parts answer, such as the history. */
  readonly handlers?: (inspector: Inspector) => Partial<Handlers>;
  /** Receives each state of a call. The last one has its time. */
  readonly onCall?: (state: CallState, send: (event: InspectorEvent) => void) => void;
}

/** A running inspector. */
export interface Inspector {
  readonly url: string;
  readonly port: number;
  readonly record: WireRecord;
  readonly offers: Offers;
  /** The revisions that the server supports, as far as it is known; newest first. */
  revisions(): readonly string[];
  connection(): Connection;
  /** Resolves when the first connection was made or has failed. */
  readonly started: Promise<void>;
  /** Sends an event to all pages. */
  send(event: InspectorEvent): void;
  /** Shows an edit, and what the server offers after it. */
  edited(edit: Edit): void;
  /** Shows output of the server. */
  stderr(text: string): void;
  close(): Promise<void>;
}

const RECORDED: Connection = { state: "connected" };

/** Starts the inspector of a target: its connections and the server of its page. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { target, abilities, opener, record = new WireRecord(), port, trace, places } = options;
  const { mask } = record;
  const streams = new EventStreams((line) => mask.text(line));
  const send = (event: InspectorEvent) => streams.send(event);
  const output = new Output((text) => send({ kind: "stderr", text }));
  let lastEdit: InspectorEvent | undefined;
  const subscriptions = new Subscriptions(send);
  const connections: Connections | undefined =
    opener &&
    new Connections(target.name, opener, record, {
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
        if (connected === undefined) return;
        offers.notified(connected, method);
        subscriptions.notified(connected, method, params);
      },
      stderr(text) {
        passOn(Text.block(text));
        output.add(mask.text(text));
      },
      asked: (connected, asked) => calls?.asked(connected, asked) ?? Promise.resolve(declineQuestion(asked)),
    });
  const use = (revision: string) => {
    if (connections === undefined) throw new ApiProblem(400, "recording", "A recording has no server to call.");
    return connections.use(revision);
  };
  const offers = new Offers(
    async (revision) => use(revision),
    (offer) => send({ kind: "offer", offer }),
    (connected, again) => void connections?.checkAfter(connected, again),
    places,
  );
  const onCall = (call: CallState) => {
    send({ kind: "call", call });
    options.onCall?.(call, send);
  };
  const calls: Calls | undefined = connections && new Calls(connections, offers, record, onCall, trace);
  const checks = new WireChecks(
    (revision) => offers.find(revision),
    () => send({ kind: "findings", findings: checks.findings() }),
  );
  for (const message of record.messages()) checks.look(message);
  record.observe({
    line(line) {
      send({ kind: "line", line });
      const message = record.get(line.n);
      if (message !== undefined) checks.look(message);
    },
    lane: (lane) => send({ kind: "lane", lane }),
    cleared() {
      send({ kind: "cleared" });
      checks.clear();
    },
  });

  function* known(): Iterable<InspectorEvent> {
    const revisions = connections?.revisions ?? [];
    const profiles = PROFILES.map(({ id }) => id);
    yield { kind: "hello", version: ownVersion(), target, abilities, revisions, profiles };
    yield { kind: "connection", connection: connections?.state ?? RECORDED, revisions };
    for (const offer of offers.known()) yield { kind: "offer", offer };
    for (const lane of record.lanes()) yield { kind: "lane", lane };
    for (const line of record.lines()) yield { kind: "line", line };
    for (const call of calls?.states() ?? []) yield { kind: "call", call };
    yield* subscriptions.events();
    if (output.text !== "") yield { kind: "stderr", text: output.text };
    if (lastEdit !== undefined) yield lastEdit;
    yield { kind: "findings", findings: checks.findings() };
    yield { kind: "ready" };
  }

  const own: Partial<Handlers> = {
    offer: ({ revision }) => offers.get(revision),
    check: ({ schema, value }) => checkValue(schema, value),
    expand: ({ template, values }) => expandTemplate(template, values),
    message: ({ n }) => {
      const message = record.get(n);
      if (message !== undefined) return message;
      throw new ApiProblem(404, "unknown_message", "The record does not keep this message any more.");
    },
    clear: () => {
      record.clear();
      return {};
    },
    doctor: async () => {
      const [newest] = connections?.revisions ?? [];
      const offer = newest === undefined ? undefined : await offers.get(newest);
      return { findings: offer === undefined ? [] : await findProblems(offer, options.module, places) };
    },
    model: async ({ tool, client }) => {
      const profile = profileOf(client);
      const revisions = connections?.revisions ?? [];
      const wanted = profile.revision?.value;
      const revision = wanted !== undefined && revisions.includes(wanted) ? wanted : revisions[0];
      return viewAs(profile, tool, await offers.get(revision ?? ""));
    },
    cost: async ({ revision, tool }) => costView(tool, await offers.get(revision)),
    ...(connections && calls && createCallHandlers(connections, calls, subscriptions, record)),
  };
  let handlers: Partial<Handlers> = own;
  const server = await startServer(
    {
      respond: async (name, input) => {
        try {
          return mask.json(await createRoutes(handlers)(name, input));
        } catch (error) {
          throw maskProblem(error, mask);
        }
      },
      stream: (response) => streams.open(response, known()),
    },
    port,
  );
  const inspector: Inspector = {
    url: server.url,
    port: server.port,
    record,
    offers,
    revisions: () => connections?.revisions ?? [],
    connection: () => connections?.state ?? RECORDED,
    started: connections?.start() ?? Promise.resolve(),
    send,
    edited(edit) {
      if (edit.how === "applied") checks.clear();
      lastEdit = { kind: "edit", edit, at: Date.now() };
      send(lastEdit);
    },
    stderr: (text) => output.add(mask.text(text)),
    async close() {
      calls?.cancelAll();
      await connections?.close();
      streams.close();
      await server.close();
    },
  };
  handlers = { ...own, ...options.handlers?.(inspector) };
  return inspector;
}

/** A server may repeat a secret in the message of an error. */
function maskProblem(error: unknown, mask: Mask): unknown {
  if (!(error instanceof ApiProblem)) return error;
  return new ApiProblem(error.status, error.code, mask.text(error.message), error.remedy);
}
