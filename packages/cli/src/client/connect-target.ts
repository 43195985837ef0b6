import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Server } from "proffer";
import {
  type Asked,
  type Client,
  type ClientOptions,
  ConnectionError,
  connectOver,
  linkCommand,
  linkUrl,
  type Notification,
  nameOfUrl,
  REVISIONS,
  RemoteError,
  type RequestOptions,
  type Root,
  type ScriptedAnswer,
} from "proffer/client";
import { credentialFile } from "../login/credential-file.ts";
import { entryOf } from "../modules/copies.ts";
import { openServer } from "../modules/load.ts";
import { ownVersion } from "../modules/packages.ts";
import { CommandError, explainUsage, WrongUsage } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { currentShell, fromHere, quoteForShell } from "../terminal/shell.ts";
import { passOn, warn } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { nameOfTarget, type Target } from "./arguments.ts";
import { type ChoiceFlags, showChosen, toChoice } from "./choice-flags.ts";
import { type AnswerFlags, type GivenAnswers, givenAnswers } from "./given-answers.ts";
import { type HeaderFlags, toHeaders } from "./headers.ts";
import { createDeadline, Interruption } from "./interruption.ts";
import { ByteBudget, type LimitFlags, toLimits } from "./limits.ts";
import { answerInTerminal } from "./terminal-answers.ts";
import { showLog } from "./terminal-notices.ts";

export interface TalkFlags extends LimitFlags, HeaderFlags, ChoiceFlags, AnswerFlags {
  readonly revision?: string;
  /** Folders that the server may work with. */
  readonly root?: readonly string[];
  readonly json?: boolean;
  /** The name and version that the command declares. */
  readonly info?: ClientOptions["info"];
  /** Answers the questions. Default: the person at the terminal. */
  readonly answers?: (asked: Asked) => ScriptedAnswer;
}

/** Runs `work` with the server, and options for its requests, and disconnects. @throws {CommandError} for an error response. */
export async function withServer<Value>(
  target: Target,
  flags: TalkFlags,
  work: (server: Client, options: RequestOptions, own: Server | undefined) => Promise<Value>,
): Promise<Value> {
  const name = nameOfTarget(target);
  const limits = toLimits(flags);
  const headers = toHeaders(flags, target);
  const loginUrl = target.kind === "url" && headers.authorization === undefined ? target.url : undefined;
  const choice = toChoice(flags, target);
  const given = givenAnswers(flags);
  const { revision } = flags;
  if (revision !== undefined && !REVISIONS.includes(revision))
    throw new WrongUsage(`Unknown protocol revision ${JSON.stringify(revision)}. Use one of ${REVISIONS.join(", ")}.`);
  const interruption = new Interruption();
  const deadline = createDeadline(name, limits.timeout, interruption);
  const showsLog = currentShell().stderr.isTTY;
  const options = {
    ...(revision !== undefined && { revision }),
    info: flags.info ?? { name: "proffer", version: ownVersion() },
    ...(showsLog && { onNotification, logLevel: "debug" as const }),
    ...(flags.answers
      ? { answers: flags.answers, capabilities: EVERYTHING }
      : { roots: toRoots(flags.root), ...answerOptions(given, deadline, interruption) }),
    timeout: limits.timeout * 1000,
    cache: false,
  };
  try {
    const { client, own } = await explainFailure(open(), loginUrl).finally(deadline.stop);
    deadline.start();
    try {
      const { signal } = interruption;
      const value = await explainFailure(
        Promise.race([work(client, { signal }, own), interruption.happened]),
        loginUrl,
      );
      given?.warnOfUnused();
      return value;
    } finally {
      deadline.stop();
      await interruption.settle(client.close());
    }
  } finally {
    interruption.stop();
  }

  /** Connects to the target. `own` is the server if it runs in this process. */
  async function open(): Promise<{ client: Client; own?: Server }> {
    if (target.kind === "module") {
      const { server, load, prepared } = await openServer(target.file, { warn });
      reportDiagnostics(prepared?.diagnostics ?? []);
      await load?.();
      // A built folder has its own copy of the run-time.
      const { connect } = await entryOf(server, "proffer/client");
      const { overrideOptions } = await entryOf(server, "proffer/derived");
      (await entryOf(server, "proffer/process")).formatLog();
      interruption.start();
      const own = overrideOptions(server, { development: true });
      await explainUsage(showChosen(own, choice));
      return { client: await connect(own, { ...options, start: false }), own };
    }
    interruption.start();
    deadline.start();
    const { meter } = new ByteBudget(limits.maxBytes);
    const { cwd, env } = currentShell();
    const link =
      target.kind === "url"
        ? linkUrl(target.url, { meter, headers, login: { store: credentialFile } })
        : linkCommand(target.command, { meter, cwd, env, onStderr: (text) => passOn(Text.block(text)) });
    const opening = connectOver(link, { ...options, name, signal: interruption.signal });
    if (revision === undefined) return { client: await opening };
    const client = await opening.catch((error) => {
      throw isRevisionRefused(error) ? refusedRevision(name, revision, "", error) : error;
    });
    if (client.revision === revision) return { client };
    await client.close();
    throw refusedRevision(name, revision, ` and answers with ${JSON.stringify(client.revision)}`);
  }
}

function toRoots(folders: readonly string[] = []): Root[] {
  return folders.map(fromHere).map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) }));
}

/** Whether a server does not know how connections begin on the revision of the client, or says so. */
function isRevisionRefused(error: unknown): boolean {
  return error instanceof RemoteError && [METHOD_NOT_FOUND, UNSUPPORTED_VERSION].includes(error.code);
}

const METHOD_NOT_FOUND = -32601;
const UNSUPPORTED_VERSION = -32022;

function refusedRevision(name: string, revision: string, more: string, cause?: unknown): CommandError {
  const remedy = "Leave out --revision to use the newest that it supports.";
  return new CommandError(`${name} does not speak revision ${revision}${more}. ${remedy}`, { cause });
}

function onNotification({ method, params }: Notification): void {
  if (method === "notifications/message") showLog(params);
}

/** A call that becomes a task is polled to its end, so tools that require a task can be called. */
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Without roots, the list is empty: servers register more tools for clients that have it, and keep their own folders. */
const QUIET = { ...TASKS, roots: {} };

const QUESTIONS = { ...QUIET, elicitation: { form: {}, url: {} } };

/** A recording may have been made with any client. */
const EVERYTHING = { ...QUESTIONS, sampling: { tools: {} } };

/**
 * Answers questions by the flags of the command, or at the terminal. Without either, the client declares no capabilities
 * for questions, so that the server does not ask.
 */
function answerOptions(
  given: GivenAnswers | undefined,
  deadline: ReturnType<typeof createDeadline>,
  interruption: Interruption,
): ClientOptions {
  if (given !== undefined) return { capabilities: QUESTIONS, answers: (asked) => given.answer(asked) };
  if (!hasTerminal()) {
    const answers = () => {
      throw new CommandError(`The server asks a question, but there is no terminal to answer it. ${HOW_TO_ANSWER}`);
    };
    return { capabilities: QUIET, answers };
  }
  /** One question at a time, because they share the terminal. */
  let last: Promise<unknown> = Promise.resolve();
  const answers = (asked: Asked): Promise<ScriptedAnswer> => {
    const answer = last.then(async () => {
      deadline.stop();
      try {
        return await answerInTerminal(asked, interruption);
      } finally {
        deadline.start();
      }
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  return { capabilities: QUESTIONS, answers };
}

function hasTerminal(): boolean {
  const { stdin, stderr } = currentShell();
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Without a terminal, the server only knows that this client cannot be asked. */
const HOW_TO_ANSWER = "Run the command in a terminal, or add --answer name=value, --accept or --decline.";

/** @param url - where the user could log in. */
async function explainFailure<Value>(work: Promise<Value>, url?: string): Promise<Value> {
  try {
    return await explainUsage(work);
  } catch (error) {
    if (error instanceof ConnectionError) {
      const canLogIn = url !== undefined && error.status === 401;
      const remedy = canLogIn ? `\nLog in first: proffer login ${quoteForShell(nameOfUrl(url))}` : "";
      throw new CommandError(error.message + remedy, { cause: error });
    }
    if (!(error instanceof RemoteError)) throw error;
    const data = error.data === undefined ? text`` : text`\n  ${Text.json(error.data)}`;
    const hint = needsAnswer(error) ? text`\n${HOW_TO_ANSWER}` : text``;
    const to = error.method === undefined ? "" : ` to ${error.method}`;
    throw new CommandError(text`The server responded${to} with error ${error.code}: ${error.message}${data}${hint}`, {
      cause: error,
    });
  }
}

/** Whether a server wanted to ask the user, which this client did not offer. */
function needsAnswer({ data }: RemoteError): boolean {
  const required = (data as { readonly requiredCapabilities?: { readonly elicitation?: unknown } } | undefined)
    ?.requiredCapabilities;
  return required?.elicitation !== undefined;
}
