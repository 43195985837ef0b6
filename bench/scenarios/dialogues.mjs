import { PATIENCE, startServer } from "../lib/server-process.mjs";
import { mediansBy } from "../lib/statistics.mjs";
import { eachLine, openSession } from "../lib/stdio-client.mjs";
import { measureRounds, warmUp } from "../lib/turns.mjs";
import { dialogueText, QUESTIONS } from "../workload/definition.mjs";
import { request } from "../workload/messages.mjs";

const IN_FLIGHT = 16;
const WARM_DIALOGUES = 3_000;
const CALL = { name: "dialogue", arguments: {} };
const ANSWER = { action: "accept", content: { value: "yes" } };
const EXPECTED = dialogueText(Array.from({ length: QUESTIONS }, () => ANSWER.content.value));

/**
 * Measures a tool that asks the user many questions, over stdio, with several processes of each contender. On the older
 * revisions each question is a server request; on the newest the client calls again with the answers.
 * @returns a row for each contender: CPU µs for a dialogue, and the ratio to raw
 */
export async function measureDialogues({ contenders, processes, progress, ...options }) {
  const measured = [];
  for (let number = 0; number < processes; number++) {
    measured.push(...(await measureProcesses({ contenders, progress, ...options })));
  }
  const rows = mediansBy(["name"], measured);
  progress(`${QUESTIONS} questions: ${rows.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`).join(", ")}`);
  return rows;
}

/** Starts a process of each contender, and returns a record for each round. */
async function measureProcesses({ contenders, rounds, seconds, warm, progress }) {
  const opened = [];
  const leftOut = ({ contender: { name } }, error) =>
    progress(`LEFT OUT: dialogues of ${name}: ${error.message.slice(0, 400)}`);
  for (const contender of contenders) {
    try {
      opened.push(await open(contender));
    } catch (error) {
      leftOut({ contender }, error);
    }
  }
  const left = new Set(opened);
  // On the newest revision a dialogue is many sequential requests, so it takes longer to warm up.
  await warmUp(left, (server, share) => converse(server, 4 * warm * share, WARM_DIALOGUES * share), leftOut);
  const measured = await measureRounds(left, rounds, (server) => measure(server, seconds), leftOut);
  await Promise.all(opened.map((server) => server.stop()));
  return measured;
}

async function open(contender) {
  const server = await startServer(contender, "stdio", "dialogue");
  if (contender.era === "legacy") await openSession(server);
  return server;
}

async function measure(server, seconds) {
  const before = server.cpuMicros;
  const done = await converse(server, seconds);
  return { cpu: (server.cpuMicros - before) / done };
}

/** Runs dialogues until the time is over or the count is reached; returns their number. */
function converse(server, seconds, enough = Number.POSITIVE_INFINITY) {
  const { child, contender } = server;
  const end = performance.now() + seconds * 1_000;
  let nextId = 100_000;
  let open = 0;
  let done = 0;

  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const call = (more) => send(request(contender.era, nextId++, "tools/call", { ...CALL, ...more }));

  return new Promise((resolve, reject) => {
    const finish = (how, value) => {
      clearTimeout(timer);
      stop();
      child.off("exit", ended);
      how(value);
    };
    const timer = setTimeout(() => finish(reject, server.failure(`gave no answer in ${PATIENCE} ms`)), PATIENCE);
    const ended = () => finish(reject, server.failure("ended"));
    const begin = () => {
      open++;
      call();
    };
    const stop = eachLine(child, (line) => {
      timer.refresh();
      const message = JSON.parse(line);
      if (message.method === "elicitation/create") return send({ jsonrpc: "2.0", id: message.id, result: ANSWER });
      if (message.method !== undefined) return;
      if (message.result?.resultType === "input_required") return call(answers(message.result));
      if (message.result?.content?.[0]?.text !== EXPECTED) {
        return finish(reject, new Error(`${contender.name} ended a dialogue with ${String(line).slice(0, 300)}`));
      }
      open--;
      done++;
      if (performance.now() < end && done < enough) begin();
      else if (open === 0) finish(resolve, done);
    });
    child.once("exit", ended);
    for (let i = 0; i < IN_FLIGHT; i++) begin();
  });
}

function answers({ inputRequests, requestState }) {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ANSWER]));
  return requestState === undefined ? { inputResponses } : { inputResponses, requestState };
}
