import { useEffect, useMemo, useState } from "preact/hooks";
import type { InspectorFinding } from "../../protocol/api.ts";
import { useApp } from "../state/app.ts";

/**
 * The findings about the offer, looked for again after each change of it, and those about the messages. Undefined where
 * there is no doctor, and messages show nothing.
 */
export function useDoctor(): readonly InspectorFinding[] | undefined {
  const { api, state, offer } = useApp();
  const [findings, setFindings] = useState<readonly InspectorFinding[]>();
  useEffect(() => {
    if (!state.ready || !state.abilities.calls || offer === undefined) return;
    api.post("doctor", {}).then(
      ({ findings }) => setFindings(findings),
      () => setFindings(undefined),
    );
  }, [state.ready, offer?.version, offer === undefined]);
  const { findings: seen } = state;
  return useMemo(
    () => (findings === undefined && seen.length === 0 ? undefined : [...(findings ?? []), ...seen]),
    [findings, seen],
  );
}
