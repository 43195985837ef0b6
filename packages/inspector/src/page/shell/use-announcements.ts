import { useEffect, useRef } from "preact/hooks";
import type { CallState } from "../../protocol/call.ts";
import { useApp } from "../state/app.ts";
import { duration } from "../text/units.ts";
import { visible } from "../text/visible.ts";

/** Says when a call ends and when a server asks something. What was there before the page is not said. */
export function useAnnouncements(): void {
  const { state, announce } = useApp();
  const said = useRef<Map<string, CallState> | undefined>(undefined);
  useEffect(() => {
    if (!state.ready) return;
    const before = said.current;
    said.current = new Map(state.calls);
    if (before === undefined) return;
    for (const call of state.calls.values()) {
      const last = before.get(call.id);
      if (last === call) continue;
      sayEnd(call, last, announce);
      for (const ask of call.asks) {
        const known = last?.asks.some(({ id }) => id === ask.id);
        if (ask.state === "open" && !known) announce(`The server asks: ${questionOf(ask.params)}`, "assertive");
      }
    }
  }, [state.calls, state.ready]);
}

function sayEnd(call: CallState, last: CallState | undefined, announce: (text: string) => void): void {
  if (call.status === last?.status) return;
  const time = call.ms === undefined ? "" : ` after ${duration(call.ms)}`;
  if (call.status === "done") announce(`Answer${time}`);
  if (call.status === "failed") announce(`The call failed${time}: ${visible(call.error?.message ?? "")}`);
  if (call.status === "canceled") announce("The call is canceled");
}

function questionOf(params: CallState["params"]): string {
  return typeof params.message === "string" ? visible(params.message) : "for an answer";
}
