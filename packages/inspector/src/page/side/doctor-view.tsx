import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { InspectorFinding } from "../../protocol/api.ts";
import { Link, PlaceButton } from "../parts/elements.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { visible } from "../text/format.ts";

const SIGNS = { good: "✓", warning: "!", error: "✗" } as const;

/** The findings of doctor about the offer, the worst first, by item. */
export function DoctorView({ findings }: { readonly findings: readonly InspectorFinding[] }): VNode {
  const worst = findings.filter(({ level }) => level !== "good");
  if (worst.length === 0) return <p class="empty">Doctor has nothing to say about this server.</p>;
  const groups = Map.groupBy(worst, ({ item }) => item?.key ?? "");
  return (
    <>
      {[...groups].map(([key, group]) => (
        <section key={key} class="findings" aria-label={key || "The server"}>
          <h3>{group[0]?.item ? <Link to={{ pane: "item", ...group[0].item }}>{visible(key)}</Link> : "The server"}</h3>
          <FindingList findings={group} />
        </section>
      ))}
    </>
  );
}

export function FindingList({ findings }: { readonly findings: readonly InspectorFinding[] }): VNode {
  return (
    <ul>
      {findings.map((finding) => (
        <Finding key={`${finding.code} ${finding.message}`} finding={finding} />
      ))}
    </ul>
  );
}

function Finding({ finding }: { readonly finding: InspectorFinding }): VNode {
  const { level, message, remedy, code, place, line } = finding;
  return (
    <li class={level}>
      <span aria-hidden="true">{SIGNS[level]} </span>
      <span class="visually-hidden">{level}: </span>
      {code !== undefined && <code>{code}</code>} {visible(message)}
      {remedy !== undefined && <div class="remedy">{visible(remedy)}</div>}
      {place !== undefined && <PlaceButton place={place} />}
      {line !== undefined && <Link to={{ pane: "wire", n: line }}>message {line}</Link>}
    </li>
  );
}

/**
 * The findings about the offer, looked for again after each change of it, and those about the messages. Undefined where
 * there is no doctor, and messages show nothing.
 */
export function useDoctor(): readonly InspectorFinding[] | undefined {
  const { api, state, offer } = useApp();
  const hasOffer = state.ready && state.abilities.calls && offer !== undefined;
  const found = useFetched(() => (hasOffer ? api.post("doctor", {}) : undefined), [hasOffer, offer?.version]);
  const findings = found instanceof Error ? undefined : found?.findings;
  const { findings: seen } = state;
  return useMemo(
    () => (findings === undefined && seen.length === 0 ? undefined : [...(findings ?? []), ...seen]),
    [findings, seen],
  );
}
