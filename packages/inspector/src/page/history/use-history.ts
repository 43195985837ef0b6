import { useEffect, useState } from "preact/hooks";
import type { HistoryEntry } from "../../protocol/api.ts";
import { useApp } from "../state/app.ts";

const NONE: readonly HistoryEntry[] = [];

/** The calls of this and earlier starts, the newest first. A recording has none. */
export function useHistory(): readonly HistoryEntry[] {
  const { api, state } = useApp();
  const [entries, setEntries] = useState(NONE);
  useEffect(() => {
    if (!state.ready || !state.abilities.calls) return;
    api.post("history", {}).then(
      ({ entries }) => setEntries([...entries].sort((a, b) => b.at - a.at)),
      () => setEntries(NONE),
    );
  }, [state.ready, state.historyVersion]);
  return entries;
}
