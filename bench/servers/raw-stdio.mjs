import { createDialogues } from "./raw-dialogue.mjs";

/** Answers each line on stdin with one write. */
export function rawStdio(reply) {
  const dialogues = createDialogues(write);
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id === undefined || dialogues.take(message)) continue;
      const answer = reply(message);
      if (answer instanceof Promise) answer.then(write);
      else write(answer);
    }
  });
}

function write(answer) {
  process.stdout.write(typeof answer === "string" ? `${answer}\n` : Buffer.concat([...answer, Buffer.from("\n")]));
}
