import { findProject } from "../modules/module-file.ts";
import { currentTrust } from "../modules/trust.ts";
import { CommandError } from "../terminal/command-error.ts";
import { ApiProblem } from "./api-problem.ts";
import { History } from "./history/history.ts";
import { HistoryFile } from "./history/history-file.ts";
import { saveCall } from "./history/saved-call.ts";
import { claimInspectorFolder, claimTargetFolder } from "./inspector-folder.ts";
import type { CallState } from "./protocol/call.ts";
import type { InspectorEvent } from "./protocol/event.ts";
import type { Handlers } from "./routes.ts";

/** The history of an inspector, and the requests of the page about it. */
export interface KeptHistory {
  /** Whether a file keeps it. */
  readonly isKept: boolean;
  /** Remembers a call that has ended. */
  onCall(state: CallState, send: (event: InspectorEvent) => void): void;
  handlers(send: (event: InspectorEvent) => void): Partial<Handlers>;
}

/**
 * Opens the history of a module; without one, it ends with the process.
 * @param warn - is told why it is not kept.
 */
export function openHistory(module: string | undefined, warn: (message: string) => void): KeptHistory {
  return createHistory(module, module === undefined ? undefined : openFile(module, warn));
}

/**
 * Opens the history of a target without a project, in the user's own folder.
 * @param target - what the history is of: a URL, or a command.
 * @throws {CommandError} if there is no folder for it that only the user can write.
 */
export function openKeptHistory(
  target: string | readonly string[],
  warn: (message: string) => void,
): { readonly history: KeptHistory; readonly file: string } {
  try {
    const trust = currentTrust();
    const file = new HistoryFile(claimTargetFolder(target, trust), trust, warn);
    return { history: createHistory(undefined, file), file: file.path };
  } catch (error) {
    throw new CommandError(`--keep cannot keep the history: ${(error as Error).message}`, { cause: error });
  }
}

function createHistory(module: string | undefined, file: HistoryFile | undefined): KeptHistory {
  const history = new History(file);
  const changed: InspectorEvent = { kind: "history" };
  return {
    isKept: file !== undefined,
    onCall(state, send) {
      if (state.ms === undefined) return;
      history.add(state);
      send(changed);
    },
    handlers: (send) => ({
      history: () => ({ entries: history.list() }),
      remembered({ id }) {
        const call = history.get(id);
        if (call !== undefined) return { call };
        throw new ApiProblem(404, "unknown_call", "The history does not have this call any more.");
      },
      forget({ id }) {
        history.forget(id);
        send(changed);
        return {};
      },
      ...(module !== undefined && {
        save({ name, draft, id }) {
          const file = saveCall(module, name, draft);
          if (id !== undefined) {
            history.setSaved(id, name);
            send(changed);
          }
          return { file };
        },
      }),
    }),
  };
}

/** Arguments are private: in a folder that others can write, or that cannot be written, they stay in memory. */
function openFile(module: string, warn: (message: string) => void): HistoryFile | undefined {
  try {
    const trust = currentTrust();
    return new HistoryFile(claimInspectorFolder(findProject(module), trust), trust, warn);
  } catch (error) {
    warn(`The history is not kept: ${(error as Error).message}`);
    return undefined;
  }
}
