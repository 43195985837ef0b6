import { useEffect, useState } from "preact/hooks";
import type { InspectorFinding } from "../../protocol/api.ts";
import { useApp } from "../state/app.ts";

/** The findings about the offer, looked for again after each change of it. Undefined where there is no doctor. */
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
  return findings;
}
