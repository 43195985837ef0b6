import type { DevObserver } from "../commands/dev.ts";
import type { EditEvent } from "../dev/edit-observer.ts";
import { findModule } from "../modules/module-file.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { announce } from "./announce.ts";
import { createTrace } from "./calls/trace.ts";
import { observeClients } from "./clients/observe-clients.ts";
import { recordClients } from "./clients/record-clients.ts";
import { openServerLinks } from "./connections/opener.ts";
import { describeEdit } from "./edit/describe-edit.ts";
import { createFileHandlers } from "./file-handlers.ts";
import { openHistory } from "./history-handlers.ts";
import { type Inspector, startInspector } from "./inspector.ts";
import { ModuleSource } from "./module-source.ts";
import { WireRecord } from "./record/record.ts";

export interface DevInspection {
  readonly port?: number | undefined;
  /** Keys of the terminal are for the inspector: stdin carries no messages. */
  readonly keys: boolean;
}

/** Creates what shows the server of `dev`, its edits and its clients in the browser. */
export function inspectDev(file: string, { port, keys }: DevInspection): DevObserver {
  const module = findModule(file);
  const source = new ModuleSource(module);
  const record = new WireRecord();
  const { tracing, source: trace } = createTrace();
  const history = openHistory(module, (message) => say(text`warning: ${message}`));
  let inspector: Promise<Inspector> | undefined;
  let url: string | undefined;
  let diagnostics: DevStartDiagnostics = [];
  /** Edits are described one after the other, after the start. */
  let work: Promise<unknown> = Promise.resolve();
  const inOrder = (task: () => Promise<void>) => {
    work = work.then(task).catch((error) => say(text`warning: The inspector failed: ${(error as Error).message}`));
  };

  async function show(event: EditEvent): Promise<void> {
    const edit = await describeEdit(event, source.project);
    if (event.how === "applied") {
      ({ diagnostics } = event);
      source.update(event.files, await event.positions().catch(() => []));
    }
    const shown = await inspector;
    shown?.edited(edit);
    if (event.how === "applied") shown?.offers.relocate();
  }

  return {
    tracing,
    wiretap: observeClients(recordClients(record)),
    onListening(address) {
      url = address;
    },
    onEdit: (event) => inOrder(() => show(event)),
    onStart({ server, first, versions }) {
      ({ diagnostics } = first.derivation);
      const target = { kind: "dev", name: file } as const;
      const copied = { target: { kind: "module", file } as const, url: () => url };
      inspector = startInspector({
        target,
        abilities: { source: true, calls: true, keepsHistory: history.isKept, saves: true },
        opener: openServerLinks(server),
        record,
        port,
        trace,
        places: source,
        onCall: history.onCall,
        module: {
          file: module,
          server,
          readCode: async () => ({
            diagnostics: diagnostics.filter(({ severity }) => severity !== "note"),
            sources: await versions.sources(),
          }),
        },
        handlers: (started) => ({
          ...createFileHandlers(started, target, copied),
          ...history.handlers(started.send),
          source: ({ kind, key }) => source.view(kind, key),
          open: (place) => source.open(place),
        }),
      });
      inOrder(async () => {
        const started = await (inspector as Promise<Inspector>);
        announce(started, { port, keys });
        source.update(versions.files, await versions.positions().catch(() => []));
        await started.started;
        started.offers.relocate();
      });
    },
  };
}

type DevStartDiagnostics = Extract<EditEvent, { how: "applied" }>["diagnostics"];
