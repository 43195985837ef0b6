/** `proffer dev` with an observer that writes what it is told to the file in the first argument. */
import { appendFileSync } from "node:fs";
import { dirname } from "node:path";
import { traceRuns } from "proffer/derived";
import { dev } from "../../src/commands/dev.ts";
import { observeClients } from "../../src/inspector/clients/observe-clients.ts";
import { describeEdit } from "../../src/inspector/edit/describe-edit.ts";
import { toTrace } from "../../src/inspector/trace/trace.ts";

const [, , file = "", ...words] = process.argv;
const write = (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`);
await dev(words, [], {
  onEdit: (event) => void describeEdit(event, dirname(file)).then((edit) => write({ edit })),
  tracing: traceRuns(({ id, round }, event) => {
    const trace = toTrace(event);
    if (trace !== undefined) write({ trace, id, round });
  }),
  wiretap: observeClients({ onClientMessage: (message) => write({ message }) }),
});
