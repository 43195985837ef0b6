/** `proffer dev` with an observer that writes its reports to the file in the first argument. */
import { appendFileSync } from "node:fs";
import { dirname } from "node:path";
import { overrideOptions } from "proffer/derived";
import { dev } from "../../cli/src/commands/dev.ts";
import { describeEdit } from "../../cli/src/inspect/edits.ts";
import { createTrace } from "../../cli/src/inspect/trace.ts";
import { observeClients } from "../../cli/src/recordings/observe-clients.ts";

const [, , file = "", ...words] = process.argv;
const write = (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`);
const { questions, source } = createTrace();
source(({ id, trace }) => write({ trace, id }));
await dev(words, [], {
  onEdit: (event) => void describeEdit(event, dirname(file)).then((edit) => write({ edit })),
  onStart({ server }) {
    const clients = observeClients({ onClientMessage: (message) => write({ message }) });
    overrideOptions(server, { watch: { questions, ...clients } });
  },
});
