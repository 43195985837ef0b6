import { rawFor } from "../contenders.mjs";
import { startServer } from "../lib/server-process.mjs";
import { median } from "../lib/statistics.mjs";
import { eachLine, openSession } from "../lib/stdio-client.mjs";
import { dialogueText, QUESTIONS } from "../workload/definition.mjs";
import { request } from "../workload/messages.mjs";

const IN_FLIGHT = 16;
const WARM_DIALOGUES = 500;
const CALL = { name: "dialogue", arguments: {} };
const ANSWER = { action: "accept", content: { value: "yes" } };
const EXPECTED = dialogueText(Array.from({ length: QUESTIONS }, () => ANSWER.content.value));

/**
 * Measures a tool that asks the user question after question, over stdio. In the older revisions each question is a
 * request of the server's; in the newest the client calls again with the answers.
 * @returns a row for each contender: CPU µs for a dialogue, and the ratio to raw
 */
export async function measureDialogues({ contenders, rounds, seconds, warm, progress }) {
  const opened = [];
  for (const contender of contenders) {
    try {
      opened.push(await open(contender, warm));
    } catch (error) {
      progress(`LEFT OUT: dialogues of ${contender.name}: ${error.message.slice(0, 400)}`);
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const { server, figures } of opened) {
      const before = server.cpuMicros;
      const done = await converse(server, seconds);
      figures.push((server.cpuMicros - before) / done);
    }
  }
  await Promise.all(opened.map(({ server }) => server.stop()));
  const rows = opened.map(({ server: { contender }, figures }) => {
    const raw = opened.find(({ server }) => server.contender.name === rawFor(contender)).figures;
    return {
      name: contender.name,
      cpu: median(figures),
      ratio: median(figures.map((cpu, round) => cpu / raw[round])),
    };
  });
  progress(`${QUESTIONS} questions: ${rows.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`).join(", ")}`);
  return rows;
}

async function open(contender, warm) {
  const server = await startServer(contender, "stdio", "dialogue");
  if (contender.era === "legacy") await openSession(server);
  // In the newest revision a dialogue is many requests that wait for each other: it takes longer to warm up.
  await converse(server, 4 * warm, WARM_DIALOGUES);
  return { server, figures: [] };
}

/** Has dialogues for some time, or until there were enough, and gives their number. */
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
      stop();
      child.off("exit", ended);
      how(value);
    };
    const ended = () => finish(reject, server.failure("ended"));
    const begin = () => {
      open++;
      call();
    };
    const stop = eachLine(child, (line) => {
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
