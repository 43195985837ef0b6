import { type ClientOptions, connect, connectOver, type Link, RemoteError, type TestClient } from "proffer/testing";
import { openServer } from "../modules/load.ts";
import { CommandError } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { explainUsage } from "../terminal/explain-usage.ts";
import { say } from "../terminal/terminal.ts";
import { linkCommand } from "./command-link.ts";
import { linkUrl } from "./http-link.ts";
import type { Target } from "./target.ts";
import { answerInTerminal } from "./terminal-answers.ts";
import { NO_ANSWER } from "./unanswered.ts";

export interface TalkFlags {
  readonly revision?: string;
  readonly json?: boolean;
}

/** The newest revision whose conversations begin with `initialize`; what every older server understands. */
const FALLBACK = "2025-11-25";
/** A server that does not know the newest revision may not answer at all. */
const PATIENCE = 10_000;

/** Runs `work` with a client of the target and closes it. @throws {CommandError} for what the server refuses. */
export async function withClient<Value>(
  target: Target,
  { revision }: TalkFlags,
  work: (client: TestClient) => Promise<Value>,
): Promise<Value> {
  const options = { ...(revision !== undefined && { revision }), ...terminalOptions() };
  const client = await explainFailure(open(target, options));
  try {
    return await explainFailure(work(client));
  } finally {
    await client.close();
  }
}

/** What `initialize` or `server/discover` said: the first message of the conversation. */
export function capabilitiesOf(client: TestClient): { readonly [name: string]: unknown } {
  const [first = "{}"] = client.transcript.messages("server");
  return JSON.parse(first).result?.capabilities ?? {};
}

/** Where nobody sits at a terminal no question can be answered, and a server that knows that does not ask. */
function terminalOptions(): ClientOptions {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return { capabilities: {} };
  return { capabilities: { elicitation: { form: {}, url: {} } }, answers: answerInTerminal };
}

async function open(target: Target, options: ClientOptions): Promise<TestClient> {
  if (target.kind === "module") return openModule(target.file, options);
  const linkTo = (): Link => (target.kind === "url" ? linkUrl(target.url) : linkCommand(target.command));
  if (options.revision !== undefined) return openWithin(linkTo(), options);
  const opened = openWithin(linkTo(), options);
  return opened.catch((error) => {
    if (!(error instanceof RemoteError)) throw error;
    return openWithin(linkTo(), { ...options, revision: FALLBACK });
  });
}

async function openModule(file: string, options: ClientOptions): Promise<TestClient> {
  const { server, load, prepared } = await openServer(file, { warn: (message) => say(`warning: ${message}`) });
  reportDiagnostics(prepared?.diagnostics ?? []);
  await load?.();
  return connect(server, { ...options, exposeErrors: true });
}

/** A server that is silent counts as one that refused. */
async function openWithin(link: Link, options: ClientOptions): Promise<TestClient> {
  let close: (() => void | Promise<void>) | undefined;
  const observed: Link = (receive) => {
    const opened = link(receive);
    close = opened.close;
    return opened;
  };
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RemoteError({ code: NO_ANSWER, message: "The server does not answer." })),
      PATIENCE,
    );
  });
  try {
    return await Promise.race([connectOver(observed, options), silent]);
  } catch (error) {
    await close?.();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function explainFailure<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await explainUsage(work);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (error.code === NO_ANSWER) throw new CommandError(error.message, { cause: error });
    const data = error.data === undefined ? "" : `\n${JSON.stringify(error.data)}`;
    throw new CommandError(`the server answered with error ${error.code}: ${error.message}${data}`, { cause: error });
  }
}
