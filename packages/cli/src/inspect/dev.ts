import { type Inspector, startInspector } from "@proffer/inspector";
import { overrideOptions } from "proffer/derived";
import type { AppliedEdit, DevObserver, EditEvent } from "../dev/report.ts";
import { findModule } from "../modules/module-file.ts";
import { recordClients } from "../recordings/lanes.ts";
import { observeClients } from "../recordings/observe-clients.ts";
import { WireRecord } from "../recordings/record.ts";
import { warn } from "../terminal/terminal.ts";
import { announce } from "./announce.ts";
import { describeEdit } from "./edits.ts";
import { openHistory } from "./history-file.ts";
import { createHost } from "./host.ts";
import { ModuleSource } from "./module-source.ts";
import { linkServer } from "./server-links.ts";
import { createTrace } from "./trace.ts";

export interface DevInspection {
  readonly port?: number | undefined;
  /** Keys of the terminal are for the inspector: stdin carries no messages. */
  readonly keys: boolean;
}

/** Creates the observer that shows the server of `dev`, its edits and its clients in the browser. */
export function inspectDev(file: string, { port, keys }: DevInspection): DevObserver {
  const module = findModule(file);
  const source = new ModuleSource(module);
  const record = new WireRecord();
  const { questions, source: trace } = createTrace();
  const history = openHistory(module, warn);
  let inspector: Promise<Inspector> | undefined;
  let url: string | undefined;
  let diagnostics: AppliedEdit["diagnostics"] = [];
  /** Edits are described one after the other, after the start. */
  let work: Promise<unknown> = Promise.resolve();
  const inOrder = (task: () => Promise<void>) => {
    work = work.then(task).catch((error) => warn(`The inspector failed: ${(error as Error).message}`));
  };

  async function show(event: EditEvent): Promise<void> {
    const edit = await describeEdit(event, source.project);
    if (event.how === "applied") {
      ({ diagnostics } = event);
      source.update(event.files, await event.positions().catch(() => []));
    }
    const shown = await inspector;
    shown?.edited(edit);
    if (event.how === "applied") shown?.relocate();
  }

  return {
    onListening(address) {
      url = address;
    },
    onEdit: (event) => inOrder(() => show(event)),
    onStart({ server, first, versions }) {
      overrideOptions(server, { watch: { questions, ...observeClients(recordClients(record)) } });
      ({ diagnostics } = first.derivation);
      const readCode = async () => ({
        diagnostics: diagnostics.filter(({ severity }) => severity !== "note"),
        sources: await versions.sources(),
      });
      const host = createHost({
        target: { kind: "dev", name: file },
        command: { kind: "module", file },
        address: () => url,
        links: linkServer(server),
        module: { file: module, server, readCode },
        record,
        trace,
        source,
        history,
      });
      inspector = startInspector(host, port);
      inOrder(async () => {
        const started = await (inspector as Promise<Inspector>);
        announce(started, { port, keys });
        source.update(versions.files, await versions.positions().catch(() => []));
        await started.started;
        started.relocate();
      });
    },
  };
}
