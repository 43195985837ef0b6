import type { WireRecord } from "../../cli/src/recordings/record.ts";
import { type Inspector, startInspector } from "../src/inspector.ts";
import type { Api, InspectorEvent, ResponseTo } from "../src/protocol/api.ts";
import type { CallState, WireLine, WireMessage } from "../src/protocol/data.ts";
import { createTestHost, type TestHost } from "./test-host.ts";

type Kind = InspectorEvent["kind"];
type Of<Name extends Kind> = Extract<InspectorEvent, { kind: Name }>;

/** The requests of the page, without a browser. */
export interface PageClient {
  /** Everything that the stream brought, in order. */
  readonly events: InspectorEvent[];
  all<Name extends Kind>(kind: Name): Of<Name>[];
  /** The last event of a kind that passes the test; waits for it. */
  until<Name extends Kind>(kind: Name, test?: (event: Of<Name>) => boolean): Promise<Of<Name>>;
  /** Sends a request. Rejects with the message of an error. */
  post<Name extends keyof Api>(name: Name, input: Api[Name]["in"]): Promise<ResponseTo<Name>>;
  /** Starts a call and waits until it passes the test; by default, until it is over. */
  call(draft: Api["call"]["in"], test?: (call: CallState) => boolean): Promise<CallState>;
  callState(id: string, test?: (call: CallState) => boolean): Promise<CallState>;
  lines(): WireLine[];
  messages(): Promise<WireMessage[]>;
  close(): void;
}

const isOver = ({ ms }: CallState) => ms !== undefined;

/** Opens a stream of events as the page does. */
export async function openPage(url: string): Promise<PageClient> {
  const { origin, hash } = new URL(url);
  const headers = { authorization: `Bearer ${hash.slice("#k=".length)}`, "content-type": "application/json" };
  const stop = new AbortController();
  const send = (name: string, input: unknown) =>
    fetch(`${origin}/api/${name}`, { method: "POST", headers, body: JSON.stringify(input), signal: stop.signal });
  const events: InspectorEvent[] = [];
  /** Called with the next event. */
  const waiting: ((value: unknown) => void)[] = [];
  const response = await send("events", {});
  if (!response.ok) throw new Error(`The stream was refused: ${await response.text()}`);
  void collect(response, (event) => {
    events.push(event);
    for (const resolve of waiting.splice(0)) resolve(undefined);
  }).catch(() => {});
  const page: PageClient = {
    events,
    all: (kind) => events.filter((event): event is never => event.kind === kind),
    async until(kind, test = () => true) {
      const find = () => page.all(kind).findLast(test);
      for (let found = find(); ; found = find()) {
        if (found !== undefined) return found as never;
        await new Promise((resolve) => waiting.push(resolve));
      }
    },
    async post(name, input) {
      const answer = await send(name, input);
      const value = (await answer.json()) as never;
      if (!answer.ok) throw new Error((value as { error: { message: string } }).error.message);
      return value;
    },
    async call(draft, test) {
      const { id } = await page.post("call", draft);
      return page.callState(id, test);
    },
    async callState(id, test = isOver) {
      return (await page.until("call", ({ call }) => call.id === id && test(call))).call;
    },
    lines: () => page.all("line").map(({ line }) => line),
    messages: () => Promise.all(page.lines().map(({ n }) => page.post("message", { n }))),
    close: () => stop.abort(),
  };
  await page.until("ready");
  return page;
}

async function collect(response: Response, receive: (event: InspectorEvent) => void): Promise<void> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(JSON.parse(line));
  }
}

/** Starts an inspector and opens its page; the test calls the returned function at its end. */
export async function inspect(
  options: Partial<TestHost>,
): Promise<{ page: PageClient; inspector: Inspector; record: WireRecord; close: () => Promise<void> }> {
  const host = createTestHost(options);
  const inspector = await startInspector(host, 0);
  await inspector.started;
  const page = await openPage(inspector.url);
  return {
    page,
    inspector,
    record: host.record,
    async close() {
      page.close();
      await inspector.close();
    },
  };
}
